// The pools and arrays with a disk behind a shared part: a controller, a link, a shelf. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "fmd/model/inventory.h"

namespace fmd {

std::vector<const Resource*> storages_behind(const Inventory& inventory, std::string_view part);

// Rules about such a part cannot name its pools, so their texts have POOL and ARRAY. Names them where
// there is one, and drops a step about a kind of storage that has no disk there.
void name_storages_behind(const Inventory& inventory, std::string_view part,
                          std::vector<std::string>& steps);

}  // namespace fmd
