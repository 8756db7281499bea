#include "plugins/smart/asker.h"

#include <utility>

namespace fmd::smart {

bool Asker::ask(const std::string& disk, std::vector<std::string> argv, Done done,
                std::function<void()> gone) {
  const auto [flight, fresh] = flights_.try_emplace(disk);
  if (!fresh) return false;
  flight->second = {std::move(argv), std::move(done), std::move(gone), false};
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
  start_some();
  // May ask again, which is refused until it has ended.
  std::exchange(flight.done, {})(output);
}

void Asker::ended(const std::string& disk) {
  const auto flight = flights_.find(disk);
  if (flight == flights_.end()) return;
  auto gone = std::move(flight->second.gone);
  const bool was_stuck = flight->second.stuck;
  if (was_stuck) --stuck_;
  flights_.erase(flight);
  if (was_stuck && gone) gone();
}

}  // namespace fmd::smart
