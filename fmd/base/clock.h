// Clock: the kernel's clocks, passed in so that tests can set them. Nanoseconds.
//
// SteadyClock (steady_clock.h) is for times that must survive a reboot, CLOCK_BOOTTIME for those
// that end with the process, such as connections and pending calls: it includes suspend time and
// ignores steps of the wall clock.
#pragma once
#include <cstdint>
#include <functional>

namespace fmd {

struct Clock {
  std::function<int64_t()> wall_ns;  // CLOCK_REALTIME
  std::function<int64_t()> boot_ns;  // CLOCK_BOOTTIME
  // Whether the kernel reports a synchronised wall clock; unset: unknown.
  std::function<bool()> synchronised = {};
};

Clock system_clock();

}  // namespace fmd
