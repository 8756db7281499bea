// Checks the time that a plugin gave an event: seconds, milliseconds or microseconds instead of
// nanoseconds, or far ahead of all clocks here. Pure.
#pragma once
#include <cstdint>
#include <string>

namespace fmd {

// latest_ns: the wall clock, or where it was believed last if that is later: a clock that was just
// set back does not make a source's times wrong. "" when nothing is; else the reason, with a hint.
std::string event_time_trouble(int64_t time_ns, int64_t latest_ns);

}  // namespace fmd
