// Whether the part that a case is about may be pulled now. Pure.
#pragma once
#include <string>

#include "fmd/advice/situation.h"

namespace fmd {

// The answer that the inventory proves, regardless of the orders.
PullSafety proven_safety(const Situation& s, const SayWorld& world);
// The answer that is shown: also "no" while the orders are to wait for a scrub or for another disk.
PullSafety advised_safety(const Situation& s, const SayWorld& world, PullSafety proven);
// A bay that is known from a drawing only: "yes" asks to check it with its LED first.
PullSafety with_caution(const Situation& s, const Inventory& inventory, PullSafety safe);
// Another disk of the pool or array is being filled, such as one that was pulled by mistake.
bool waits_for_others(const Situation& s, const Inventory& inventory);
PullSafety safety_of(const Situation& s, const SayWorld& world);
// The bay of s.newcomer: the old disk may have been put into another one.
std::string newcomer_bay(const Situation& s, const SayWorld& world);

}  // namespace fmd
