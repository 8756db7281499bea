// The FMA diagnosis code ("msg-id") of a set of fault classes: dictionary name + integer →
// "ZFS-8000-GH". Algorithm as in illumos libdiagcode: bits 01, 2-bit size, data, CRC-32 checksum,
// base 32 digits.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "fmd/base/result.h"

namespace fmd {

// diagcode("ZFS", 15) == "ZFS-8000-GH"; "DISK", 0 → "DISK-8000-0X".
std::string diagcode(std::string_view dictionary, uint64_t number);
// The number back; an error when the form or the checksum is wrong.
Result<uint64_t> parse_diagcode(std::string_view dictionary, std::string_view code);

}  // namespace fmd
