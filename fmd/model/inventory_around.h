// The inventory around some parts: what is needed to show a few cases of a machine with ten
// thousand disks. Pure.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "fmd/model/inventory.h"

namespace fmd {

// FMRIs: the parts, their components, parts named by their properties (a spare in their place), and
// the containers of these. The cost is proportional to the result.
std::set<std::string, std::less<>> around(const Inventory& inventory,
                                          const std::vector<std::string>& parts);

}  // namespace fmd
