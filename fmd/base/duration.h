// Durations are integer nanoseconds, like all times of events and cases.
#pragma once
#include <cstdint>

namespace fmd {

inline constexpr int64_t kMsNs = 1000000;
inline constexpr int64_t kSecondNs = 1000 * kMsNs;
inline constexpr int64_t kDayNs = 86400 * kSecondNs;

}  // namespace fmd
