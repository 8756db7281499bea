// What is done about a case, in words: how far each of its actions has come, what stands in the way
// and what a person may do about that. Pure.
#pragma once
#include <string>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd::cli {

// "Refused     : SLOT 06 (serial Z1Y0DD06) out of service: …", a field each, what is owed and where
// the case goes on; verbose: also what is done.
std::string action_fields(const Case& c, const Inventory& inventory, bool verbose);

}  // namespace fmd::cli
