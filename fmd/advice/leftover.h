// Leftover: what is still going on in the pools and arrays of a case that is over: a resilver, a
// disk of another case. "Nothing is left to do" is said only without one. Pure.
#pragma once
#include <string>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd {

// "Wait for the resilver of pool tank (74 %, 13 s left)", without a full stop; "" the case's pools
// and arrays are whole, or it concerns none.
std::string leftover_words(const Case& c, const Inventory& inventory);

}  // namespace fmd
