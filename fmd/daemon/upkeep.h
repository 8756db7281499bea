// Upkeep: what the daemon does between other things: small journal blocks merged, old ones dropped,
// cases that were resolved long ago forgotten, the plugins' counters brought into the inventory.
// Each call is milliseconds of work. Single thread.
#pragma once
#include <cstdint>
#include <functional>

#include "fmd/daemon/parts.h"

namespace fmd {

class Upkeep {
 public:
  static constexpr int64_t kSealEachNs = 5LL * 1000000000;
  static constexpr int64_t kCountersEachNs = 60LL * 1000000000;
  static constexpr int64_t kRetainEachNs = 3600LL * 1000000000;

  Upkeep(Parts& parts, std::function<void()> refresh_counters);

  int64_t next_wake_ns() const;  // monotonic
  void run();                    // what is due

 private:
  void seal();
  void retain();
  void forget_resolved(int64_t now_ns);
  Parts& parts_;
  std::function<void()> refresh_counters_;
  int64_t next_seal_ns_, next_counters_ns_, next_retain_ns_;
  uint64_t sealed_at_commit_ = UINT64_MAX;  // nothing new since then
};

}  // namespace fmd
