// The size of a disk in the units that people use.
#pragma once
#include <cstdint>
#include <string>

namespace fmd {

// Decimal, as printed on the disk: "4 TB", "1.92 TB", "480 GB". Everything else is format_bytes().
std::string format_capacity(uint64_t bytes);

}  // namespace fmd
