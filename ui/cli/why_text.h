// The reasoning of a case as a tree: what was accused, what excused it, which numbers decided.
#pragma once
#include <string>
#include <vector>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd::cli {

// explains: the cases that this one explains.
std::string reasoning(const Case& c, const std::vector<Case>& explains, const Inventory& inventory);

}  // namespace fmd::cli
