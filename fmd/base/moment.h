// Moment: one point in time on both of the daemon's clocks, passed in wherever time matters.
//
// wall    ns since the epoch, CLOCK_REALTIME: for display, and to compare with times from sources.
//         It may jump by any amount in either direction.
// steady  ns that never jump or go back: CLOCK_BOOTTIME, continued across reboots (the daemon stores
//         it with its state). All durations, waits and retries use it, so a steady time in a stored
//         row keeps its meaning after a restart.
#pragma once
#include <cstdint>

namespace fmd {

struct Moment {
  int64_t wall_ns = 0;
  int64_t steady_ns = 0;

  constexpr Moment() = default;
  // For replayed recordings and tests, whose wall clock never jumps.
  constexpr Moment(int64_t both_ns) : wall_ns(both_ns), steady_ns(both_ns) {}
  constexpr Moment(int64_t wall, int64_t steady) : wall_ns(wall), steady_ns(steady) {}
};

// Saturating: times read from a damaged row may have any value.
constexpr int64_t add_times(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN : INT64_MAX) : sum;
}

// The wall time of a steady time, as the wall clock is now.
constexpr int64_t wall_of(int64_t steady_ns, Moment now) {
  return now.wall_ns + (steady_ns - now.steady_ns);
}

}  // namespace fmd
