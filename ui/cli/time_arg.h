// Parses times on a command line. Pure: now is passed in. Local time unless a "Z" says UTC.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "fmd/base/result.h"

namespace fmd::cli {

// "2026-11-21", "2026-11-21 14:30[:05]", "2026-11-21T14:30:05[Z]", "14:30[:05]" (today, or
// yesterday if that is in the future), "10min ago", "10min", "now", "today", "yesterday" → ns since
// the epoch.
Result<int64_t> parse_time(std::string_view text, int64_t now_ns);

}  // namespace fmd::cli
