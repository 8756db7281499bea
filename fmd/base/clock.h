// Clock: the kernel's clocks, passed in so that tests can turn them. Nanoseconds.
//
// What lasts over a restart of the machine is measured by SteadyClock (steady_clock.h); what ends
// with the process (connections, calls under way) by CLOCK_BOOTTIME as it is: it counts the time
// asleep too, and no step of the wall clock touches it.
#pragma once
#include <cstdint>
#include <functional>

namespace fmd {

struct Clock {
  std::function<int64_t()> wall_ns;  // CLOCK_REALTIME
  std::function<int64_t()> boot_ns;  // CLOCK_BOOTTIME
  std::function<bool()> synchronised =
      {};  // the kernel says that something keeps the wall clock right;
           // none: nobody knows
};

Clock system_clock();

}  // namespace fmd
