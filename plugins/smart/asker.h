// Asker: runs smartctl, one process per disk, with a limit on concurrent ones and a deadline for
// each. A query beyond its deadline frees its slot for the next disk. Its own disk is not queried
// again until the process has exited, which may be never if the kernel blocks it. Single thread.
//
//   ask() ─▶ waiting ─▶ running ─▶ done, gone
//              ▲           ├ deadline ─▶ done; stuck ─▶ gone
//              └───────────┘ crashed: again without the error logs; then these as text
#pragma once
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plugins/sdk/host.h"

namespace fmd::smart {

class Asker {
 public:
  using Done = std::function<void(const sdk::CommandOutput&)>;

  Asker(sdk::Host& host, size_t at_once, std::chrono::milliseconds deadline)
      : host_(host), at_once_(at_once), deadline_(deadline) {}
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;

  // False while the disk's previous query is running. `done` runs from the loop; `gone` (optional)
  // runs when a hung query has ended.
  bool ask(const std::string& disk, std::vector<std::string> argv, Done done,
           std::function<void()> gone = {});
  bool busy(const std::string& disk) const { return flights_.contains(disk); }
  bool hangs(const std::string& disk) const;  // busy, beyond its deadline
  size_t stuck() const { return stuck_; }

 private:
  struct Flight {
    std::vector<std::string> argv;
    Done done;
    std::function<void()> gone;
    bool stuck = false;
    bool once_more = false;
    std::optional<sdk::CommandOutput> less;  // the output of the query without the error logs
  };
  void start_some();
  bool wants_less(Flight& flight, const sdk::CommandOutput& output);
  bool wants_rest(Flight& flight, const sdk::CommandOutput& output);
  void answered(const std::string& disk, const sdk::CommandOutput& output);
  void ended(const std::string& disk);

  sdk::Host& host_;
  size_t at_once_;
  std::chrono::milliseconds deadline_;
  std::map<std::string, Flight> flights_;
  std::deque<std::string> waiting_;
  size_t running_ = 0, stuck_ = 0;
};

}  // namespace fmd::smart
