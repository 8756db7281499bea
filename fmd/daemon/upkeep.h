// Upkeep: background work of the daemon: it merges small journal blocks, deletes old ones, forgets
// cases that were resolved long ago, and copies the plugins' counters to the inventory. Nothing is
// deleted by age while the wall clock is not trusted (clock_watch.h). Each job takes milliseconds.
// Single thread. Times are steady.
#pragma once
#include <cstdint>
#include <functional>

#include "fmd/daemon/pipeline.h"
#include "fmd/store/retention.h"

namespace fmd {

class Upkeep {
 public:
  static constexpr int64_t kSealEachNs = 5LL * 1000000000;
  static constexpr int64_t kMinuteNs = 60LL * 1000000000;  // counters, a look at the clock
  static constexpr int64_t kRetainEachNs = 3600LL * 1000000000;

  // All outlive it. retention: what it holds may change at any time.
  Upkeep(Pipeline& pipeline, const Engine& engine, const SteadyClock& clock,
         ClockWatch& clock_watch, StoreJobs& store, const Retention& retention,
         std::function<void()> refresh_counters, std::function<void()> give_room_back);

  int64_t next_wake_ns() const;
  void run();  // the due jobs

 private:
  void watch_clock();
  bool is_calm() const;
  void rest();
  void seal();
  void sealed(const Result<bool>& more, uint64_t commits);
  void retain();
  void forget_resolved(int64_t before_ns);
  Pipeline& pipeline_;
  const Engine& engine_;
  const SteadyClock& clock_;
  ClockWatch& clock_watch_;
  StoreJobs& store_;
  const Retention& retention_;
  std::function<void()> refresh_counters_, give_room_back_;
  int64_t next_seal_ns_, next_minute_ns_, next_retain_ns_;
  bool sealing_ = false;                    // a bite is under way
  uint64_t sealed_at_commit_ = UINT64_MAX;  // nothing new since then
  uint64_t rested_at_commit_ = UINT64_MAX;
  uint64_t rest_seq_ = 0;  // the last event's at the last look
};

}  // namespace fmd
