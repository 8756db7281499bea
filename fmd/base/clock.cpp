#include "fmd/base/clock.h"

#include <ctime>

namespace fmd {
namespace {

int64_t read_clock(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

}  // namespace

Clock system_clock() {
  return {[] { return read_clock(CLOCK_REALTIME); }, [] { return read_clock(CLOCK_MONOTONIC); }};
}

}  // namespace fmd
