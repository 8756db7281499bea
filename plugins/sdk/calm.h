// Calm: looks less often after some looks without changes, and then when the machine wakes up
// anyway (sdk::Timer::start_lazily), until there is a change again. For looks that are not the only
// source of changes.
#pragma once
#include <algorithm>
#include <chrono>
#include <limits>

namespace fmd::sdk {

class Calm {
 public:
  constexpr Calm(int looks, int times) : looks_(looks), times_(times) {}

  // True when that ended the calm: the next look is due sooner than was said.
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
  int looks_;  // in a row without anything new
  int times_;  // as long as otherwise
  int quiet_ = 0;
};

inline constexpr Calm kNeverCalm{std::numeric_limits<int>::max(), 1};
// Of disks and multipath, each 30 to 45 s: after some five minutes half as often. udev tells of nearly all at once.
inline constexpr Calm kCalmOfBlockDevices{8, 2};

}  // namespace fmd::sdk
