#include "plugins/hardware/time_text.h"

#include <time.h>

#include <cstdio>

namespace fmd::hardware {

std::string utc_text(int64_t ns) {
  const auto seconds = static_cast<time_t>(ns / 1'000'000'000);
  tm parts{};
  char text[64];
  if (ns <= 0 || !gmtime_r(&seconds, &parts) ||
      strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts) == 0)
    return "an unknown time";
  return text;
}

}  // namespace fmd::hardware
