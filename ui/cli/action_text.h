// The actions of a case in words: their progress, what prevents them, and what the user can do
// about it. Pure.
#pragma once
#include <string>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd::cli {

// Actions that were refused or are pending, one field each: "Refused     : SLOT 06 (serial
// Z1Y0DD06) out of service: …", and the case into which this one was merged. verbose: also actions
// that were done.
std::string action_fields(const Case& c, const Inventory& inventory, bool verbose);

}  // namespace fmd::cli
