// Whether the part that a case is about may be pulled now. Pure.
#pragma once
#include <string>

#include "fmd/advice/situation.h"

namespace fmd {

PullSafety safety_of(const Situation& s, const SayWorld& world);
// The bay of s.newcomer: the old disk may have been put into another one.
std::string newcomer_bay(const Situation& s, const SayWorld& world);

}  // namespace fmd
