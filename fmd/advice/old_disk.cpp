#include "fmd/advice/old_disk.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/advice/part_names.h"

namespace fmd {
namespace {

bool is_used(const Inventory& inventory, const Resource& disk) {
  const auto users = inventory.parents(disk.fmri, Relation::redundancy);
  return std::any_of(users.begin(), users.end(), [](const Resource* r) { return r->present; });
}

// In a bay with a name, which does not report that it is empty.
bool is_in_bay(const Inventory& inventory, const Resource& disk) {
  const auto bays = inventory.parents(disk.fmri, Relation::contains);
  return !inventory.location(disk.fmri).empty() &&
         std::none_of(bays.begin(), bays.end(),
                      [](const Resource* bay) { return bay->is("occupied", "false"); });
}

}  // namespace

const Resource* old_disk_in_bay(const Case& c, const Inventory& inventory) {
  for (const Suspect& s : c.suspects) {
    if (s.status != SuspectStatus::replaced) continue;
    const Resource* disk = inventory.find(s.fru);
    if (disk && disk->present && disk->type == "disk" && is_in_bay(inventory, *disk) &&
        !is_used(inventory, *disk))
      return disk;
  }
  return nullptr;
}

std::string old_disk_words(const Case& c, const Inventory& inventory) {
  const Resource* disk = old_disk_in_bay(c, inventory);
  if (!disk) return {};
  return fmt::format("The old disk is still in {}: take it out.",
                     resource_words(inventory, disk->fmri));
}

}  // namespace fmd
