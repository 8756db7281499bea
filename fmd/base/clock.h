// The daemon's one clock, passed in so that tests can turn it: wall time for events and cases,
// monotonic time for deadlines and supervision. Both in nanoseconds.
#pragma once
#include <cstdint>
#include <functional>

namespace fmd {

struct Clock {
  std::function<int64_t()> wall_ns;  // CLOCK_REALTIME
  std::function<int64_t()> mono_ns;  // CLOCK_MONOTONIC
};

Clock system_clock();

}  // namespace fmd
