// Calm: a source polls less often after some looks without changes, until the next change. A calm
// poll also waits for another wake-up of the machine (sdk::Timer::start_lazily). For sources that
// also get hints about changes.
#pragma once
#include <algorithm>
#include <chrono>
#include <limits>

namespace fmd::sdk {

class Calm {
 public:
  constexpr Calm(int looks, int times) : looks_(looks), times_(times) {}

  // True when this look ended the calm: the next look is now due earlier than planned.
  bool looked(bool anything_new) {
    const bool ended = anything_new && is_calm();
    quiet_ = anything_new ? 0 : std::min(quiet_ + 1, looks_);
    return ended;
  }
  bool is_calm() const { return quiet_ == looks_; }
  std::chrono::milliseconds until_next(std::chrono::milliseconds pause) const {
    return is_calm() ? pause * times_ : pause;
  }

 private:
  int looks_;  // consecutive looks without a change until calm
  int times_;  // factor for the pause while calm
  int quiet_ = 0;
};

inline constexpr Calm kNeverCalm{std::numeric_limits<int>::max(), 1};
// Disks and multipath (polled every 30 to 45 s): half as often after about five minutes, since udev
// reports nearly all changes.
inline constexpr Calm kCalmOfBlockDevices{8, 2};

}  // namespace fmd::sdk
