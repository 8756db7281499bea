// Commands: carries out fmd's commands. For each: a fresh look, the plan (command_plan.h), its
// zpool commands with a deadline, looks until the effect shows, then the reply.
//
//   queued ─▶ (asking the history) ─▶ looking ─▶ planned ─▶ running ─▶ checking ─▶ replied
//                                                   └── nothing to do, refused ──────▶ replied
//
// Before running anything it records that the command has begun and its goal (deeds.h); afterwards
// the reply. A repeated key, also after a restart, gets the recorded reply; if the command had only
// begun, the state is checked and nothing is run again. One command at a time per pool; a hung pool
// does not delay others. Single thread, on the loop.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "plugins/hardware/overwrite_guard.h"
#include "plugins/sdk/host.h"
#include "plugins/sdk/plugin.h"
#include "plugins/sdk/timer.h"
#include "plugins/zfs/command_plan.h"
#include "plugins/zfs/history_reader.h"
#include "plugins/zfs/pool_watch.h"

namespace fmd::zfs {

class Commands {
 public:
  Commands(sd_event* loop, sdk::Host& host, PoolWatch& watch, HistoryReader& history);
  ~Commands();
  void run(const sdk::CommandRequest& request, sdk::Plugin::Reply reply);
  // Whether a command of ours caused the event, not an administrator.
  bool own_echo(const ZpoolEvent& event) const;
  // A goal was reached, but how the command ended is unknown: asks the history whether it was ours.
  void settle(const std::vector<LateEffect>& late);

 private:
  struct Job;
  void next(uint64_t pool);
  void start(const std::shared_ptr<Job>& job);
  void look(const std::shared_ptr<Job>& job);
  void plan(const std::shared_ptr<Job>& job);
  void step(const std::shared_ptr<Job>& job);
  void run_step(const std::shared_ptr<Job>& job);
  void check_overwritten(const std::shared_ptr<Job>& job);
  void skip_disk(const std::shared_ptr<Job>& job, const hardware::Overwrite& wish,
                 const std::string& refusal);
  void stepped(const std::shared_ptr<Job>& job, const sdk::CommandOutput& output);
  std::string failure_words(const Job& job, const std::string& text) const;
  void between(const std::shared_ptr<Job>& job);
  void check(const std::shared_ptr<Job>& job);
  void check_later(const std::shared_ptr<Job>& job, std::string missing);
  void reply(const std::shared_ptr<Job>& job, sdk::CommandReply reply);
  void begin(const Job& job);
  void ended(const Job& job, Intent::End end);
  void settle(const LateEffect& late, HistoryReader::Answer answer);
  bool by_us(const Job& job);
  Deeds* deeds_of(const Job& job);
  void begin_own_change(const Job& job);
  void end_own_changes(uint64_t vdev);
  PlanFacts facts();

  sd_event* loop_;
  sdk::Host& host_;
  PoolWatch& watch_;
  HistoryReader& history_;
  hardware::OverwriteGuard guard_;
  std::set<std::pair<bool, uint64_t>> settling_;  // whether of a spare; vdev
  std::map<uint64_t, std::deque<std::shared_ptr<Job>>>
      queues_;  // by pool; the front one is running
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fmd::zfs
