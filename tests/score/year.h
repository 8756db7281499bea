// Year: 60 healthy disks for a year, with the single errors, restarts and scrubs of a real host.
#pragma once
#include <cstdint>

#include "judge.h"

namespace fmd::score {

struct Year {
  int major = 0;           // cases of severity Major or Critical
  int minor_messages = 0;  // all others that people get
  int acted = 0;           // parts retired, spared or lit
};
Year healthy_year(uint64_t seed, const Rules& rules);

}  // namespace fmd::score
