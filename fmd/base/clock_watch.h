// ClockWatch: whether the wall clock can be trusted when data is deleted by age. The clock has
// jumped if it differs by more than a day from its last trusted time, measured by the steady clock
// (moment.h), in one step or several. It is trusted again when it has agreed with the steady clock
// for an hour, the kernel reports it as synchronised, or it has returned. After days without power
// a machine's clock seems to have jumped, and also waits for that hour. Pure.
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
  static constexpr int64_t kSameNs = 60LL * 1000000000;  // less is slewing and drift

  enum class Turn { none, doubted, believed };

  // Call every few minutes; shorter jumps go unnoticed. synchronised: as the kernel reports.
  Turn observe(Moment now, bool synchronised);
  bool believed() const { return !doubted_; }
  // The wall clock without its jump, or the wall clock itself before the first observe().
  int64_t believed_wall_ns(Moment now) const;
  // Distance from its last trusted time; positive: ahead.
  int64_t off_ns() const { return off_ns_; }

  std::vector<StateRow> take_changes();  // row "clock" "watch"
  void mark_all_changed() { dirty_ = trusted_.has_value(); }
  Result<void> restore(const std::vector<StateRow>& rows);  // ignores rows of other kinds

 private:
  // Offsets are wall − steady.
  std::optional<int64_t> trusted_;
  int64_t candidate_ns_ = 0;      // its offset, within kSameNs, ...
  std::optional<int64_t> since_;  // ...since then (steady); nothing: not observed yet
  int64_t off_ns_ = 0;
  bool doubted_ = false, dirty_ = false;
};

}  // namespace fmd
