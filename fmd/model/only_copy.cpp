#include "fmd/model/only_copy.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/model/last_copy.h"

namespace fmd {
namespace {

constexpr int kDeepest = 8;  // levels of a pool, which has four

bool works(const Resource& member) {
  return member.present && (member.is("service", "in-service") || member.is("service", "degraded"));
}

bool is_member(const Resource& r) {
  return r.type == "zfs-vdev" || r.type == "md-member";
}

bool is_last_copy(const Resource& r) {
  return is_member(r) && works(r) && r.get("retire_refusal").starts_with(kLastCopy);
}

// The disks of an LVM volume or btrfs device that hold data without another copy.
std::set<std::string> disks_with_last_copy(const Resource& user) {
  std::set<std::string> disks;
  if (!user.present || (user.type != "lvm-volume" && user.type != "btrfs-device")) return disks;
  const std::string all = user.get("last_copy_on");
  for (size_t from = 0; from < all.size();) {
    const size_t end = std::min(all.find(',', from), all.size());
    disks.insert(all.substr(from, end - from));
    from = end + 1;
  }
  disks.erase(std::string(kNoLastCopy));
  return disks;
}

std::string name_of_user(const Resource& user) {
  const std::string name = user.get(user.get("pool").empty() ? "name" : "pool");
  return display(name.empty() ? user.fmri : name, 40);
}

std::string why_kept_by(const Inventory& inventory, const Resource& user, std::string_view disk) {
  if (user.type == "btrfs-device")
    return fmt::format("btrfs {} has to copy it to another disk first", name_of_user(user));
  if (user.type == "lvm-volume" && user.get("last_copy_on").empty())
    return fmt::format("fmd cannot see whether {} survives without it", name_of_user(user));
  if (user.type == "lvm-volume" && has_lost_another(inventory, user, disk))
    return fmt::format("another disk of {} is gone", name_of_user(user));
  return {};
}

bool lists_disk(const std::string& names, const std::string& name) {
  return !name.empty() && ("," + names + ",").find("," + name + ",") != std::string::npos;
}

void add_with_its_disks(const Resource& member, std::set<std::string>& found) {
  found.insert(member.fmri);
  for (const Edge& on : member.edges)
    if (on.relation == Relation::redundancy) found.insert(on.to);
}

// Whether a member below is out of use, in a pool or array that knows about it.
bool has_member_out(const Inventory& inventory, const Resource& whole, int depth) {
  if (depth > kDeepest) return false;
  return std::any_of(whole.edges.begin(), whole.edges.end(), [&](const Edge& edge) {
    const Resource* below =
        edge.relation == Relation::redundancy ? inventory.find(edge.to) : nullptr;
    if (!below || !is_member(*below)) return false;
    if (below->is("service", "out-of-service") || below->is("service", "removed")) return true;
    return has_member_out(inventory, *below, depth + 1);
  });
}

void add_last_copies(const Inventory& inventory, const Resource& whole, int depth,
                     std::set<std::string>& found) {
  if (depth > kDeepest) return;
  for (const Edge& edge : whole.edges) {
    const Resource* below =
        edge.relation == Relation::redundancy ? inventory.find(edge.to) : nullptr;
    if (!below || !is_member(*below)) continue;
    if (is_last_copy(*below) || below->is("only_copy", "true")) add_with_its_disks(*below, found);
    add_last_copies(inventory, *below, depth + 1, found);
  }
}

}  // namespace

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

bool must_come_back(const Inventory& inventory, const Resource& member) {
  return may_hold_only_copy(inventory, member) || member.is("only_copy", "true");
}

const Resource* group_of(const Inventory& inventory, const Resource& member) {
  const Resource* top = nullptr;
  const Resource* at = &member;
  for (int depth = 0; at && depth < kDeepest; ++depth) {
    const Resource* next = nullptr;
    for (const Resource* parent : inventory.parents(at->fmri, Relation::redundancy))
      if (parent->type == "zfs-vdev" || parent->type == "md-array") next = parent;
    if (next) top = next;
    at = next;
  }
  return top;
}

bool must_wait_for_another(const Inventory& inventory, const Resource& member) {
  if (!is_last_copy(member)) return false;
  const Resource* group = group_of(inventory, member);
  return group && has_member_out(inventory, *group, 0);
}

bool holds_last_copy(const Resource& user, std::string_view disk) {
  return is_last_copy(user) || disks_with_last_copy(user).contains(std::string(disk));
}

bool has_lost_another(const Inventory& inventory, const Resource& volume, std::string_view disk) {
  return std::any_of(volume.edges.begin(), volume.edges.end(), [&](const Edge& edge) {
    const Resource* other = edge.relation == Relation::redundancy && edge.to != disk
                                ? inventory.find(edge.to)
                                : nullptr;
    return other && !other->present;
  });
}

bool is_reshaped(const Resource& storage) {
  return storage.present && storage.type == "md-array" && storage.is("scan", "reshape");
}

const Resource* file_system_on(const Inventory& inventory, const Resource& disk) {
  const auto all = inventory.all();
  for (auto at = all.lower_bound("fs://"); at != all.end() && at->first.starts_with("fs://"); ++at)
    if (at->second.present && lists_disk(at->second.get("directly_on"), disk.fmri))
      return &at->second;
  return nullptr;
}

std::string why_kept(const Inventory& inventory, const Resource& disk) {
  if (!disk.present) return {};
  const std::vector<const Resource*> users = inventory.parents(disk.fmri, Relation::redundancy);
  for (const Resource* user : users)
    if (user->present)
      if (std::string why = why_kept_by(inventory, *user, disk.fmri); !why.empty()) return why;
  if (const Resource* fs = file_system_on(inventory, disk))
    return fmt::format("the file system {} is on it", display(fs->get("name"), 60));
  return {};
}

bool was_let_go(const Suspect& suspect, const Resource& disk) {
  const std::string holds = disk.get("content_reason");
  const bool has_new_data = holds.starts_with("it holds ") && !holds.starts_with("it holds zfs_");
  return suspect.facts.contains(kLetGo) && !has_new_data &&
         holds.find("uses it") == std::string::npos;
}

bool is_let_go(const Inventory& inventory, const Suspect& suspect) {
  const Resource* disk = inventory.find(suspect.fru);
  return disk && is_of_unknown_use(inventory, *disk) && was_let_go(suspect, *disk);
}

bool is_of_unknown_use(const Inventory& inventory, const Resource& disk) {
  return disk.present && disk.is("content", "used") &&
         inventory.parents(disk.fmri, Relation::redundancy).empty();
}

std::set<std::string> kept_in(const Inventory& inventory, const Resource& group) {
  std::set<std::string> found = disks_with_last_copy(group);
  const bool unseen = group.type == "lvm-volume" && group.get("last_copy_on").empty();
  if (is_last_copy(group) || (group.present && (unseen || group.type == "btrfs-device")))
    add_with_its_disks(group, found);
  if (is_reshaped(group))
    for (const Edge& edge : group.edges)
      if (const Resource* member = inventory.find(edge.to)) add_with_its_disks(*member, found);
  // The reason of a light that stays dark also depends on members that are out.
  if (has_member_out(inventory, group, 0)) found.insert(group.fmri);
  add_last_copies(inventory, group, 0, found);
  return found;
}

}  // namespace fmd
