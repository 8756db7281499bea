#include "fmd/model/only_copy.h"

#include <algorithm>

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
    if (is_last_copy(*below) || below->is("only_copy", "true")) {
      found.insert(below->fmri);
      for (const Edge& on : below->edges)
        if (on.relation == Relation::redundancy) found.insert(on.to);
    }
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

std::set<std::string> waiting_in(const Inventory& inventory, const Resource& group) {
  std::set<std::string> found;
  if (has_member_out(inventory, group, 0)) add_last_copies(inventory, group, 0, found);
  return found;
}

}  // namespace fmd
