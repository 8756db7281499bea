// The polling interval of enclosures. Each poll is a command to the device, and udev reports urgent
// changes, so a slow enclosure is polled less often.
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
