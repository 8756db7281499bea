// Counts a test program's allocations, which, unlike time, are the same on each machine.
#pragma once
#include <cstdint>

namespace fmd::bench {

uint64_t allocations();  // so far

}  // namespace fmd::bench
