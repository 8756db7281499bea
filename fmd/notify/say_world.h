// The input of a case's advice (fmd/advice/say.h), including the case's maintenance window. Pure.
#pragma once
#include <cstdint>

#include "fmd/advice/say.h"
#include "fmd/notify/maintenance.h"

namespace fmd {

inline SayWorld say_world(const Case& c, const Inventory& inventory, const PartIndex& index,
                          bool dry_run, bool auto_replace, const Maintenance& maintenance,
                          int64_t wall_ns) {
  SayWorld world{inventory, index, dry_run, auto_replace};
  if (const MaintenanceWindow* window = maintenance.covering(c, inventory, wall_ns)) {
    world.window = window->id;
    world.window_until_ns = window->until_ns;
  }
  return world;
}

}  // namespace fmd
