#include "fmd/advice/old_disk.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/advice/part_names.h"
#include "fmd/advice/say_lists.h"

namespace fmd {
namespace {

bool was_left_behind(const Case& c, const Suspect& s) {
  if (s.status == SuspectStatus::replaced) return true;
  return s.status == SuspectStatus::repaired && s.facts.contains(kLeftPool) && c.replaces;
}

// In a bay with a name, which does not report that it is empty.
bool is_in_bay(const Inventory& inventory, const Resource& disk) {
  const auto bays = inventory.parents(disk.fmri, Relation::contains);
  return !inventory.location(disk.fmri).empty() &&
         std::none_of(bays.begin(), bays.end(),
                      [](const Resource* bay) { return bay->is("occupied", "false"); });
}

}  // namespace

bool is_used(const Inventory& inventory, const Resource& disk) {
  const auto users = inventory.parents(disk.fmri, Relation::redundancy);
  return std::any_of(users.begin(), users.end(), [](const Resource* r) { return r->present; });
}

const Resource* old_disk_in_bay(const Case& c, const Inventory& inventory) {
  for (const Suspect& s : c.suspects) {
    if (!was_left_behind(c, s)) continue;
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
  return fmt::format("The old disk is still in {}: take it out. {}",
                     resource_words(inventory, disk->fmri), keep_old_disk_words(c));
}

std::string keep_old_disk_words(const Case& c) {
  return fmt::format("If it is to stay there, run 'fmadm acquit {}'.", short_id(c.uuid));
}

}  // namespace fmd
