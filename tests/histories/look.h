// Look: what a plugin sees of the world, as the inventory that it would send (schemas/resources.md). Pure.
#pragma once
#include <map>
#include <string>

#include "fmd/model/inventory.h"
#include "world.h"

namespace fmd::histories {

using Picture = std::map<std::string, Resource>;  // by FMRI
Picture look(const World& world, Source source);

// The message that turns what the source said before into what it sees now. complete: a first one.
InventoryUpdate as_update(const World& world, Source source, const Picture& before,
                          const Picture& now, bool complete);

}  // namespace fmd::histories
