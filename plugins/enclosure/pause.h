// When the next round of looks is due. Each look is a command to the device, and what is urgent comes by udev: a slow enclosure is left
// alone for longer, and one of which there was nothing to tell for a while is looked at more seldom, when the machine wakes up anyway.
#pragma once
#include <algorithm>
#include <chrono>

namespace fmd::enclosure {

struct Pause {
  std::chrono::milliseconds time;
  bool lazily;  // sdk::Timer::start_lazily
};

inline constexpr int kRest = 5;  // times as long as a round took
inline constexpr int kCalmRounds = 30, kCalmer = 3;

// calm_rounds: how many in a row had nothing to tell.
inline Pause pause_after(std::chrono::milliseconds rescan, std::chrono::milliseconds took,
                         int calm_rounds) {
  const auto pause = std::max(rescan, took * kRest);
  if (calm_rounds < kCalmRounds) return {pause, false};
  return {pause * kCalmer, true};
}

}  // namespace fmd::enclosure
