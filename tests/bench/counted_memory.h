// What a program of tests asks for memory, counted: the same on each machine, as time is not.
#pragma once
#include <cstdint>

namespace fmd::bench {

uint64_t allocations();  // so far

}  // namespace fmd::bench
