#include "fmd/daemon/event_time.h"

#include <fmt/format.h>

#include <array>

#include "fmd/base/duration.h"
#include "fmd/base/text.h"

namespace fmd {
namespace {

constexpr int64_t kAhead = kDayNs;
constexpr int64_t kAbout = 20 * 365 * kDayNs;  // a number this close to now is a time

struct Unit {
  const char* name;
  int64_t ns;
};
constexpr std::array<Unit, 3> kUnits{
    {{"seconds", 1000000000}, {"milliseconds", 1000000}, {"microseconds", 1000}}};

}  // namespace

std::string event_time_trouble(int64_t time_ns, int64_t latest_ns) {
  if (time_ns > latest_ns && time_ns - latest_ns > kAhead)
    return fmt::format(
        "\"time\" is {}, {} days ahead of this machine's clock; it must be nanoseconds since "
        "1970, UTC",
        format_time_iso(time_ns), (time_ns - latest_ns) / kDayNs);
  for (const Unit& unit : kUnits) {
    int64_t meant = 0;
    if (time_ns <= 0 || __builtin_mul_overflow(time_ns, unit.ns, &meant)) continue;
    // With a clock at 1970, small numbers are times.
    if (meant > latest_ns - kAbout && meant <= latest_ns + kAhead && latest_ns > kAbout)
      return fmt::format(
          "\"time\" is {}, which looks like {}; it must be nanoseconds since 1970 ({})", time_ns,
          unit.name, meant);
  }
  return {};
}

}  // namespace fmd
