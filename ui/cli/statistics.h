// fmstat: the plugins' counters, or the SERD engines.
#pragma once
#include <cstdint>

#include "fmd/base/result.h"
#include "ui/cli/daemon.h"

namespace fmd::cli {

struct StatOptions {
  bool serd = false, json = false;
  unsigned interval_s = 0;  // seconds; 0: once
  unsigned count = 0;       // 0: forever, if there is an interval
};
Result<void> statistics(Client& client, const StatOptions& options);

}  // namespace fmd::cli
