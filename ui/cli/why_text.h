// The reasoning of a case as a tree: accused parts, what excused them, the deciding numbers.
#pragma once
#include <string>
#include <vector>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd::cli {

// explains: the cases that this one explains.
std::string reasoning(const Case& c, const std::vector<Case>& explains, const Inventory& inventory);

}  // namespace fmd::cli
