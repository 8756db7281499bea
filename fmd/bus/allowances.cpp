#include "fmd/bus/allowances.h"

#include <algorithm>
#include <chrono>

namespace fmd::bus {
namespace {

constexpr size_t kMostUsers = 1024;
constexpr int64_t kSecondNs = 1'000'000'000;

}  // namespace

bool Allowances::take(uint32_t uid, size_t bytes) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return take(uid, bytes, std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

bool Allowances::take(uint32_t uid, size_t bytes, int64_t now_ns) {
  if (left_.size() >= kMostUsers && !left_.contains(uid)) left_.clear();
  Left& left = left_.try_emplace(uid, Left{kAtOnce, now_ns}).first->second;
  const auto gone_ms = static_cast<size_t>(
      std::clamp<int64_t>((now_ns - left.since_ns) / (kSecondNs / 1000), 0, 3'600'000));
  left.bytes = std::min(kAtOnce, left.bytes + gone_ms * (kEachSecond / 1000));
  left.since_ns = now_ns;
  // A reply larger than the whole burst needs a full allowance.
  if (left.bytes < std::min(bytes, kAtOnce)) return false;
  left.bytes -= std::min(bytes, left.bytes);
  return true;
}

}  // namespace fmd::bus
