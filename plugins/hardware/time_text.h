// A wall-clock time as text: "2026-11-24 08:00:00 UTC". Pure.
#pragma once
#include <cstdint>
#include <string>

namespace fmd::hardware {

// "an unknown time" for 0 and for dates outside the calendar.
std::string utc_text(int64_t ns);

}  // namespace fmd::hardware
