#include "plugins/disk/content_probe.h"

#include <utility>

namespace fmd::disk {

// blkid(8): 0 something was found, 2 nothing was, 8 several that contradict each other. It also
// ends with 2 when it cannot open or read the disk, but says so.
std::string content_from_blkid(const sdk::CommandOutput& output) {
  if (output.end != sdk::CommandOutput::End::exited) return "unknown";
  if (output.code == 0 || output.code == 8) return "used";
  if (output.code == 2 && output.err.empty() && output.out.empty()) return "blank";
  return "unknown";
}

void ContentProbe::ask(const std::string& key, const std::string& name, Done done) {
  Flight& flight = flights_[key];
  flight.name = name;
  flight.next.push_back(std::move(done));
  if (flight.stuck) {
    // Told from the loop, like every answer.
    host_.run_apart([] { return std::string(); }, std::chrono::seconds(1),
                    [this, key](const sdk::CommandOutput&) {
                      const auto found = flights_.find(key);
                      if (found == flights_.end() || !found->second.stuck) return;
                      for (auto& fn : std::exchange(found->second.next, {})) fn("unknown");
                    });
    return;
  }
  if (flight.running || flight.next.size() > 1) return;  // follows, or is queued already
  waiting_.push_back(key);
  start_some();
}

void ContentProbe::start_some() {
  while (active_ < kAtOnce && !waiting_.empty()) {
    const std::string key = waiting_.front();
    waiting_.pop_front();
    start(key);
  }
}

void ContentProbe::start(const std::string& key) {
  Flight& flight = flights_[key];
  flight.now = std::exchange(flight.next, {});
  flight.running = true;
  ++active_;
  host_.run(
      {"blkid", "-p", "-o", "export", host_.path("/dev/" + flight.name)}, deadline_,
      [this, key](const sdk::CommandOutput& output) { answered(key, output); },
      [this, key] { gone(key); });
}

void ContentProbe::answered(const std::string& key, const sdk::CommandOutput& output) {
  --active_;
  Flight& flight = flights_[key];
  flight.stuck = output.end == sdk::CommandOutput::End::deadline;
  const std::string content = content_from_blkid(output);
  auto fns = std::exchange(flight.now, {});
  if (flight.stuck)
    for (auto& fn : std::exchange(flight.next, {})) fns.push_back(std::move(fn));
  for (auto& fn : fns) fn(content);
  start_some();
}

void ContentProbe::gone(const std::string& key) {
  const auto found = flights_.find(key);
  if (found == flights_.end()) return;
  found->second.running = found->second.stuck = false;
  if (found->second.next.empty()) {
    flights_.erase(found);
    return;
  }
  waiting_.push_back(key);
  start_some();
}

}  // namespace fmd::disk
