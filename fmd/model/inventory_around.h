// The inventory around some parts: what is needed to show a few cases of a machine with ten
// thousand disks. Pure.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "fmd/model/inventory.h"

namespace fmd {

// FMRIs: the parts themselves, what they consist of, what their properties name (a spare in their place), and what holds
// all that. Costs what it finds.
std::set<std::string, std::less<>> around(const Inventory& inventory,
                                          const std::vector<std::string>& parts);

}  // namespace fmd
