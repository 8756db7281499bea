#include "plugins/smart/asker.h"

#include <algorithm>
#include <utility>

#include "plugins/smart/report.h"

namespace fmd::smart {

bool Asker::ask(const std::string& disk, std::vector<std::string> argv, Done done,
                std::function<void()> gone) {
  const auto [flight, fresh] = flights_.try_emplace(disk);
  if (!fresh) return false;
  flight->second = {std::move(argv), std::move(done), std::move(gone), false, false};
  waiting_.push_back(disk);
  start_some();
  return true;
}

void Asker::start_some() {
  while (running_ < at_once_ && !waiting_.empty()) {
    const std::string disk = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    host_.run(
        flights_[disk].argv, deadline_,
        [this, disk](const sdk::CommandOutput& output) { answered(disk, output); },
        [this, disk] { ended(disk); });
  }
}

void Asker::answered(const std::string& disk, const sdk::CommandOutput& output) {
  --running_;
  Flight& flight = flights_[disk];
  flight.stuck = output.end == sdk::CommandOutput::End::deadline;
  if (flight.stuck) ++stuck_;
  if (wants_less(flight, output)) return start_some();
  start_some();
  // May ask again, which is refused until it has ended.
  std::exchange(flight.done, {})(output);
}

// What smartctl fell over with -x it is asked for without the error logs, where 7.3's fault is:
// health, attributes, defects and self-tests are better than nothing.
bool Asker::wants_less(Flight& flight, const sdk::CommandOutput& output) {
  const auto all = std::find(flight.argv.begin(), flight.argv.end(), "-x");
  if (all == flight.argv.end() || output.end != sdk::CommandOutput::End::exited ||
      !crashed(output.out))
    return false;
  constexpr const char* kLess[] = {"-i", "-H", "-A", "-l", "selftest", "-l", "ssd"};
  flight.argv.insert(flight.argv.erase(all), std::begin(kLess), std::end(kLess));
  flight.once_more = true;
  return true;
}

void Asker::ended(const std::string& disk) {
  const auto flight = flights_.find(disk);
  if (flight == flights_.end()) return;
  if (std::exchange(flight->second.once_more, false)) {
    waiting_.push_back(disk);
    return start_some();
  }
  auto gone = std::move(flight->second.gone);
  const bool was_stuck = flight->second.stuck;
  if (was_stuck) --stuck_;
  flights_.erase(flight);
  if (was_stuck && gone) gone();
}

}  // namespace fmd::smart
