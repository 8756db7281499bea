// Pace: the shortest time between commits of small groups. Each commit waits for the disk, so small
// groups are gathered. The first one after a pause, and its consequences, are written at once.
// Steady times. Single thread.
#pragma once
#include <algorithm>
#include <cstdint>

namespace fmd {

class Pace {
 public:
  static constexpr int64_t kEachNs = 50 * 1000000;
  static constexpr int kAtOnce = 4;  // after a rest; then one each kEachNs

  explicit Pace(int64_t now_ns) : last_ns_(now_ns), paid_to_ns_(now_ns) {}

  void took(int64_t now_ns) {
    last_ns_ = now_ns;
    paid_to_ns_ = std::min(std::max(paid_to_ns_, now_ns) + kEachNs, now_ns + kAtOnce * kEachNs);
  }
  int64_t last_ns() const { return last_ns_; }
  int64_t next_ns() const { return paid_to_ns_ - (kAtOnce - 1) * kEachNs; }

 private:
  int64_t last_ns_;
  int64_t paid_to_ns_;  // by one each kEachNs
};

}  // namespace fmd
