// ClockWatch: whether the wall clock can be trusted when data is deleted by age. The clock has
// jumped if it is more than a day away from its last trusted time, measured by the steady clock
// (moment.h), in one step or in several. It is trusted again once it has agreed with the steady
// clock for an hour, the kernel reports it as synchronised, or it has returned. A machine that was
// off for days looks the same, and also waits for that hour. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "fmd/base/moment.h"
#include "fmd/base/result.h"
#include "fmd/base/state_row.h"

namespace fmd {

class ClockWatch {
 public:
  static constexpr int64_t kJumpNs = 86400LL * 1000000000;
  static constexpr int64_t kAgreedNs = 3600LL * 1000000000;
  static constexpr int64_t kSameNs = 60LL * 1000000000;  // less than that is slewing and drift

  enum class Turn { none, doubted, believed };

  // At least each few minutes: what happens in between is not seen. synchronised: the kernel's word.
  Turn observe(Moment now, bool synchronised);
  bool believed() const { return !doubted_; }
  // What it would show now if it had not jumped; its own time when nothing is known of it.
  int64_t believed_wall_ns(Moment now) const;
  // How far the clock is from where it was believed last; positive: ahead.
  int64_t off_ns() const { return off_ns_; }

  std::vector<StateRow> take_changes();  // row "clock" "watch"
  void mark_all_changed() { dirty_ = trusted_.has_value(); }
  Result<void> restore(const std::vector<StateRow>& rows);  // rows of other kinds are passed over

 private:
  // Offsets are wall − steady.
  std::optional<int64_t> trusted_;
  int64_t candidate_ns_ = 0;      // what it has been, within kSameNs, ...
  std::optional<int64_t> since_;  // ...since then (steady); nothing: not looked at yet
  int64_t off_ns_ = 0;
  bool doubted_ = false, dirty_ = false;
};

}  // namespace fmd
