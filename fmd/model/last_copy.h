// How `retire_refusal` begins if the part holds the last copy of some data (schemas/resources.md).
// Plugins write it; fmd's advice and lights depend on it.
#pragma once
#include <string_view>

namespace fmd {

inline constexpr std::string_view kLastCopy = "last copy: ";

// The value of `last_copy_on` of a volume that can lose any one of its disks.
inline constexpr std::string_view kNoLastCopy = "none";

}  // namespace fmd
