// Retention: how long data is kept ([retention] of fmd.toml). Ages are by the wall clock.
#pragma once
#include <cstdint>

namespace fmd {

struct Retention {
  int64_t journal_age_ns = 90LL * 86400 * 1000000000;
  uint64_t journal_bytes = uint64_t{1} << 30;
  int64_t resolved_age_ns = 30LL * 86400 * 1000000000;  // for cases
  int64_t readings_age_ns = 365LL * 86400 * 1000000000;
  uint64_t readings_bytes = uint64_t{512} << 20;
  int64_t bay_history_age_ns = 1825LL * 86400 * 1000000000;
};

}  // namespace fmd
