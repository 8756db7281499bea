// What is done about a case, in words: how far each of its actions has come, what stands in the way
// and what a person may do about that. Pure.
#pragma once
#include <string>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd::cli {

// Actions that were refused or are still to be done, one field each: "Refused     : SLOT 06 (serial Z1Y0DD06) out of
// service: …", and in which case a merged case goes on. verbose: also actions that were done.
std::string action_fields(const Case& c, const Inventory& inventory, bool verbose);

}  // namespace fmd::cli
