#include "plugins/smart/asker.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "plugins/smart/report.h"

namespace fmd::smart {
namespace {

constexpr const char* kLess[] = {"-i", "-H", "-A", "-l", "selftest", "-l", "ssd"};

}  // namespace

bool Asker::ask(const std::string& disk, std::vector<std::string> argv, Done done,
                std::function<void()> gone) {
  const auto [flight, fresh] = flights_.try_emplace(disk);
  if (!fresh) return false;
  flight->second = {std::move(argv), std::move(done), std::move(gone), false, false, std::nullopt};
  waiting_.push_back(disk);
  start_some();
  return true;
}

bool Asker::hangs(const std::string& disk) const {
  const auto flight = flights_.find(disk);
  return flight != flights_.end() && flight->second.stuck;
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
  const bool more = wants_less(flight, output) || wants_rest(flight, output);
  start_some();
  if (more) return;
  sdk::CommandOutput all = output;
  if (flight.less && !flight.stuck) {
    all = std::move(*flight.less);
    all.out = with_error_counters(all.out, output.out);
  }
  // The callback may query again; that is refused until this query has ended.
  std::exchange(flight.done, {})(all);
}

// If smartctl crashed with -x, query without the error logs, which make 7.3 crash.
bool Asker::wants_less(Flight& flight, const sdk::CommandOutput& output) {
  const auto all = std::find(flight.argv.begin(), flight.argv.end(), "-x");
  if (all == flight.argv.end() || output.end != sdk::CommandOutput::End::exited ||
      !crashed(output.out))
    return false;
  flight.argv.insert(flight.argv.erase(all), std::begin(kLess), std::end(kLess));
  flight.once_more = true;
  return true;
}

// Then queries the error logs as text: only their JSON output crashes 7.3.
bool Asker::wants_rest(Flight& flight, const sdk::CommandOutput& output) {
  const auto less =
      std::search(flight.argv.begin(), flight.argv.end(), std::begin(kLess), std::end(kLess));
  const auto as_json = std::find(flight.argv.begin(), flight.argv.end(), "-j");
  if (less == flight.argv.end() || as_json == flight.argv.end() ||
      output.end != sdk::CommandOutput::End::exited || crashed(output.out))
    return false;
  flight.less = output;
  flight.argv.insert(flight.argv.erase(less, less + std::size(kLess)), {"-l", "error"});
  flight.argv.erase(as_json);
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
