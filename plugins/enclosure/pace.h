// How often enclosures are looked at. Each look is a command to the device, and udev reports what is urgent: a slow
// enclosure is left alone for longer.
#pragma once
#include <chrono>

#include "plugins/sdk/watcher.h"

namespace fmd::enclosure {

inline sdk::Watcher::Pace pace_of(std::chrono::milliseconds rescan) {
  constexpr std::chrono::milliseconds kAfterUdev{2000};
  constexpr int kRest = 5;
  return {rescan, kAfterUdev, sdk::Calm{30, 3}, kRest, true};
}

}  // namespace fmd::enclosure
