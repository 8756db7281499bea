// Whether the part that a case is about may be pulled now. Pure.
#pragma once
#include <string>

#include "fmd/advice/situation.h"

namespace fmd {

// The answer that the inventory proves, regardless of the orders.
PullSafety proven_safety(const Situation& s, const SayWorld& world);
// The answer that is shown: also "no" while the orders are to wait for a scrub.
PullSafety advised_safety(const Situation& s, PullSafety proven);
PullSafety safety_of(const Situation& s, const SayWorld& world);
// The bay of s.newcomer: the old disk may have been put into another one.
std::string newcomer_bay(const Situation& s, const SayWorld& world);

}  // namespace fmd
