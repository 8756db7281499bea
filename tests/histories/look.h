// Look: the inventory that a plugin would send about the world (schemas/resources.md). Pure.
#pragma once
#include <map>
#include <string>

#include "fmd/model/inventory.h"
#include "world.h"

namespace fmd::histories {

using Picture = std::map<std::string, Resource>;  // by FMRI
Picture look(const World& world, Source source);

// The update from `before` to `now`. complete: the first one on a connection.
InventoryUpdate as_update(const World& world, Source source, const Picture& before,
                          const Picture& now, bool complete);

}  // namespace fmd::histories
