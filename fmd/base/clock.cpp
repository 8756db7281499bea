#include "fmd/base/clock.h"

#include <sys/timex.h>

#include <ctime>

namespace fmd {
namespace {

int64_t read_clock(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

// Setting the clock by hand also sets STA_UNSYNC, until a time source has confirmed the time.
bool synchronised() {
  timex state{};
  const int outcome = adjtimex(&state);
  return outcome != -1 && outcome != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

}  // namespace

Clock system_clock() {
  return {[] { return read_clock(CLOCK_REALTIME); }, [] { return read_clock(CLOCK_BOOTTIME); },
          synchronised};
}

}  // namespace fmd
