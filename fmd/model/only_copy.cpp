#include "fmd/model/only_copy.h"

namespace fmd {

const Resource* storage_of(const Inventory& inventory, std::string_view fmri) {
  const Resource* itself = inventory.find(fmri);
  if (itself && (itself->type == "zfs-pool" || itself->type == "md-array")) return itself;
  for (const std::string_view part : {"/vdev=", "/disk=", "/missing="})
    if (const size_t at = fmri.find(part);
        at != fmri.npos && (fmri.starts_with("zfs://") || fmri.starts_with("md://")))
      return inventory.find(fmri.substr(0, at));
  return nullptr;
}

bool is_idle_spare(const Resource& vdev) {
  return vdev.is("role", "spare") && (vdev.is("parent_type", "none") || vdev.is("state", "spare"));
}

const Resource* spare_taking_over(const Inventory& inventory, const Resource& member) {
  const std::string by = member.get("replacing");
  const Resource* next = by.empty() ? nullptr : inventory.find(by);
  return next && next->is("was_spare", "true") ? next : nullptr;
}

bool lacks_copies(const Resource& storage) {
  for (const std::string_view lost : {"SUSPENDED", "UNAVAIL", "FAULTED", "failed", "inactive"})
    if (storage.is("health", lost)) return true;
  return false;
}

bool may_hold_only_copy(const Inventory& inventory, const Resource& member) {
  if (member.is("role", "cache") || is_idle_spare(member)) return false;
  if (member.type == "zfs-vdev" || member.type == "md-member") {
    const Resource* storage = storage_of(inventory, member.fmri);
    return storage && lacks_copies(*storage);
  }
  if (member.type != "btrfs-device") return false;
  for (const Resource* whole : inventory.parents(member.fmri, Relation::redundancy))
    if (lacks_copies(*whole)) return true;
  return false;
}

}  // namespace fmd
