// SteadyClock: makes the Moments (moment.h). Steady time is CLOCK_BOOTTIME, continued across
// reboots through a state row: it never goes back, and pauses while the machine is off. At the
// first start it equals the wall clock, so that rows of an fmd without it stay valid. One thread.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fmd/base/clock.h"
#include "fmd/base/moment.h"
#include "fmd/base/result.h"
#include "fmd/base/state_row.h"

namespace fmd {

class SteadyClock {
 public:
  // boot_id: of the running kernel; CLOCK_BOOTTIME restarts with it.
  SteadyClock(Clock clock, std::string boot_id);

  // Call once, before the first use. Ignores rows of other kinds. If its row cannot be read,
  // returns an error and starts as if for the first time.
  Result<void> restore(const std::vector<StateRow>& rows);
  // Written with every commit, so that no stored time is later than the row.
  StateRow row() const;  // "clock" "steady"

  Moment now() const { return {wall_ns(), steady_ns()}; }
  int64_t wall_ns() const { return clock_.wall_ns(); }
  int64_t steady_ns() const { return add_times(clock_.boot_ns(), base_ns_); }
  // For the kernel's timers.
  int64_t boot_from_steady(int64_t steady_ns) const { return add_times(steady_ns, -base_ns_); }
  bool synchronised() const { return clock_.synchronised && clock_.synchronised(); }

  const Clock& kernel() const { return clock_; }
  const std::string& boot_id() const { return boot_id_; }

 private:
  Clock clock_;
  std::string boot_id_;
  int64_t base_ns_;  // steady = CLOCK_BOOTTIME + this
};

}  // namespace fmd
