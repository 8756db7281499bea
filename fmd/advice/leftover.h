// Leftover: what remains to be done in the pools and arrays of a resolved case, such as a resilver or
// another bad disk. Messages say "Nothing is left to do" only if nothing remains. Pure.
#pragma once
#include <string>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd {

// "Wait for the resilver of pool tank (74 %, 13 s left)", without a full stop; "" if the case's pools
// and arrays are complete, or it concerns none.
std::string leftover_words(const Case& c, const Inventory& inventory);

}  // namespace fmd
