#include "plugins/hardware/content_probe.h"

#include <sstream>
#include <utility>

namespace fmd::hardware {
namespace {

using Kind = Content::Kind;

constexpr std::string_view kBlank = "blank", kData = "data",
                           kInUse = "in use";  // output of the child that reads the disk
constexpr const char* kStuck = "it does not answer";

bool is_stuck(const sdk::CommandOutput& output) {
  return output.end == sdk::CommandOutput::End::deadline;
}

// The value of that name in blkid's export format; "" if it is missing.
std::string exported(const std::string& text, std::string_view name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name) && line.size() > name.size() && line[name.size()] == '=')
      return line.substr(name.size() + 1);
  return {};
}

std::string what_blkid_found(const std::string& text) {
  if (const std::string type = exported(text, "TYPE"); !type.empty()) {
    const std::string label = exported(text, "LABEL");
    return "it holds " + type + (label.empty() ? "" : ", label " + label);
  }
  if (const std::string table = exported(text, "PTTYPE"); !table.empty())
    return "it has a partition table (" + table + ")";
  return "there are data on it";
}

}  // namespace

std::string_view content_name(Kind kind) {
  return kind == Kind::blank ? "blank" : kind == Kind::used ? "used" : "unknown";
}

// Exit status of blkid(8): 0 found something, 2 found nothing, 8 found several contradicting
// formats. It also exits with 2 if it cannot open or read the disk, sometimes without a message.
Content content_of(Sample sample, const sdk::CommandOutput& blkid) {
  const bool exited = blkid.end == sdk::CommandOutput::End::exited;
  if (exited && blkid.code == 0) {
    Content found{Kind::used, what_blkid_found(blkid.out)};
    found.type = exported(blkid.out, "TYPE");
    found.uuid = exported(blkid.out, "UUID");
    found.member = exported(blkid.out, "UUID_SUB");
    // blkid also prints a partition's entry in its table; only that if the content is unknown.
    found.unnamed = found.type.empty() && exported(blkid.out, "PTTYPE").empty();
    return found;
  }
  if (exited && blkid.code == 8) return {Kind::used, "there are several kinds of data on it"};
  if (sample == Sample::data) {
    Content found{Kind::used, "there are data on it of a kind that blkid does not know"};
    found.unnamed = exited && blkid.code == 2;
    return found;
  }
  if (exited && blkid.code == 2 && blkid.err.empty() && blkid.out.empty()) return {Kind::blank};
  return {Kind::unknown, is_stuck(blkid) ? kStuck : blkid.explain("blkid")};
}

void ContentProbe::ask(const std::string& key, const std::string& name, Done done) {
  Flight& flight = flights_[key];
  flight.name = name;
  flight.next.push_back(std::move(done));
  if (flight.stuck) {
    // Call back from the loop, like every other result.
    host_.run_apart([] { return std::string(); }, std::chrono::seconds(1),
                    [this, key, alive = std::weak_ptr<bool>(alive_)](const sdk::CommandOutput&) {
                      if (alive.expired()) return;
                      const auto found = flights_.find(key);
                      if (found == flights_.end() || !found->second.stuck) return;
                      for (auto& fn : std::exchange(found->second.next, {}))
                        fn({Kind::unknown, kStuck});
                    });
    return;
  }
  if (flight.running || flight.next.size() > 1) return;  // it follows, or is already queued
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
  flight.answered = false;
  ++active_;
  host_.run_apart(
      [read = read_, path = host_.path("/dev/" + flight.name)] {
        const auto sample = read(path);
        if (!sample) return sample.error().message;
        return std::string(*sample == Sample::blank  ? kBlank
                           : *sample == Sample::data ? kData
                                                     : kInUse);
      },
      deadline_,
      [this, key, alive = std::weak_ptr<bool>(alive_)](const sdk::CommandOutput& output) {
        if (!alive.expired()) was_read(key, output);
      },
      [this, key, alive = std::weak_ptr<bool>(alive_)] {
        if (alive.expired()) return;
        if (flights_[key].answered)
          gone(key);
        else
          ask_blkid(key);
      });
}

void ContentProbe::was_read(const std::string& key, const sdk::CommandOutput& output) {
  if (output.ok() && (output.out == kBlank || output.out == kData)) {
    flights_[key].sample = output.out == kBlank ? Sample::blank : Sample::data;
    return;
  }
  if (output.ok() && output.out == kInUse)
    return answer(key, {Kind::used, "something on this host uses it", true}, false);
  const std::string why = is_stuck(output) ? kStuck
                          : output.ok()    ? output.out
                                           : output.explain("reading it");
  answer(key, {Kind::unknown, why}, is_stuck(output));
}

void ContentProbe::ask_blkid(const std::string& key) {
  host_.run(
      {"blkid", "-p", "-o", "export", host_.path("/dev/" + flights_[key].name)}, deadline_,
      [this, key, alive = std::weak_ptr<bool>(alive_)](const sdk::CommandOutput& output) {
        if (alive.expired()) return;
        answer(key, content_of(flights_[key].sample, output), is_stuck(output));
      },
      [this, key, alive = std::weak_ptr<bool>(alive_)] {
        if (!alive.expired()) gone(key);
      });
}

void ContentProbe::answer(const std::string& key, const Content& content, bool stuck) {
  --active_;
  Flight& flight = flights_[key];
  flight.answered = true;
  flight.stuck = stuck;
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

}  // namespace fmd::hardware
