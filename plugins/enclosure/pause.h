// When the next round of looks is due. Each look is a command to the device, and what is urgent comes by udev: a slow enclosure is left
// alone for longer.
#pragma once
#include <algorithm>
#include <chrono>

#include "plugins/sdk/calm.h"

namespace fmd::enclosure {

inline constexpr int kRest = 5;  // times as long as a round took
inline constexpr sdk::Calm kCalm{30, 3};

inline std::chrono::milliseconds pause_after(std::chrono::milliseconds rescan,
                                             std::chrono::milliseconds took,
                                             const sdk::Calm& calm) {
  return calm.until_next(std::max(rescan, took * kRest));
}

}  // namespace fmd::enclosure
