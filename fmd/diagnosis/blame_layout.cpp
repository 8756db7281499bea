#include "fmd/diagnosis/blame_layout.h"

#include <algorithm>
#include <iterator>

#include "fmd/diagnosis/topology.h"

namespace fmd {
namespace {

using blame::HubKind;
using blame::Layout;
using Aboves = std::vector<Layout::Above>;

// Earlier disks of a bay that are listed with it; a bay that kills disks is noticed by the third.
constexpr size_t kMostTenants = 4;

bool is_way(const Resource* r) {
  return r && (r->type == "path" || r->type == "multipath");
}

Aboves on_path(const Context& context, const std::string& disk, const std::set<std::string>& way) {
  const Topology topology(context.inventory, context.paths, {Relation::path});
  Aboves out;
  for (std::string& fmri : topology.above_over(disk, way))
    if (!is_way(context.inventory.find(fmri))) out.push_back({std::move(fmri), HubKind::path});
  return out;
}

bool has(const Aboves& all, const std::string& name) {
  return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
}

// Its bay, now or last, and what contains that.
Aboves around(const Context& context, const std::string& disk) {
  const Inventory& inventory = context.inventory;
  std::string bay;
  for (const Resource* r : inventory.parents(disk, Relation::contains))
    if (r->type == "bay") bay = r->fmri;
  const Tenancy* last = bay.empty() && context.bays ? context.bays->last_of(disk) : nullptr;
  if (last) bay = last->bay;
  if (bay.empty()) return {};
  Aboves out{{bay, HubKind::bay}};
  for (const Resource* r : inventory.parents(bay, Relation::contains))
    out.push_back({r->fmri, HubKind::enclosure});
  return out;
}

struct Redundancy {
  std::string group;
  size_t tolerance = 0;
  bool used = false;
};

size_t children_of(const Resource& r) {
  return static_cast<size_t>(std::count_if(r.edges.begin(), r.edges.end(), [](const Edge& edge) {
    return edge.relation == Relation::redundancy;
  }));
}

size_t tolerance_of(const Resource& group) {
  const size_t others = std::max<size_t>(1, children_of(group)) - 1;
  if (group.is("vdev_type", "mirror") || group.is("level", "raid1")) return others;
  if (group.type == "md-array")
    return group.is("level", "raid6")                                  ? 2
           : group.is("level", "raid5") || group.is("level", "raid10") ? 1
                                                                       : 0;
  return static_cast<size_t>(std::clamp<int64_t>(number_in(group, "parity", 0), 0, 3));
}

bool holds_data(const Resource& member) {
  const std::string role = member.get("role");
  return role != "spare" && role != "cache" && role != "replacement";
}

// leaf: a member of a pool or array. Its group is the top one below the pool.
Redundancy redundancy_above(const Inventory& inventory, const Resource& leaf) {
  const Resource* top = &leaf;
  constexpr int kDeepest = 4;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const Resource* next = nullptr;
    for (const Resource* r : inventory.parents(top->fmri, Relation::redundancy))
      if (r->type == "zfs-vdev" || r->type == "md-array") next = r;
    if (!next) break;
    top = next;
  }
  return {top->fmri, tolerance_of(*top), holds_data(leaf)};
}

Redundancy redundancy_of(const Inventory& inventory, const std::string& disk) {
  Redundancy out;
  for (const Resource* member : inventory.parents(disk, Relation::redundancy))
    if (Redundancy one = redundancy_above(inventory, *member); !out.used) out = std::move(one);
  return out;
}

void add_redundancy(Layout::Part& part, const Redundancy& of) {
  part.group = of.group;
  part.tolerance = of.tolerance;
  part.used = of.used;
}

void add_disk(Layout& out, const Context& context, const Resource& disk) {
  const Aboves place = around(context, disk.fmri);
  const Redundancy redundancy = redundancy_of(context.inventory, disk.fmri);
  Layout::Part part;
  part.name = disk.fmri;
  part.model = disk.get("model");
  add_redundancy(part, redundancy);
  const Resource* bay = place.empty() ? nullptr : context.inventory.find(place.front().name);
  part.bay_tells = bay && bay->is("tells_empty", "true");
  part.above = on_path(context, disk.fmri, {});
  std::vector<Layout::Part> ways;
  for (const std::string& way : paths_to(context, disk.fmri)) {
    Layout::Part one;
    one.name = way;
    one.disk = disk.fmri;
    one.above = on_path(context, disk.fmri, {way});
    std::erase_if(part.above, [&](const auto& above) { return !has(one.above, above.name); });
    one.used = part.used;
    ways.push_back(std::move(one));
  }
  for (const Layout::Above& above : place) {
    part.above.push_back(above);
    for (Layout::Part& way : ways)
      if (above.kind != HubKind::bay) way.above.push_back(above);
  }
  out.parts.push_back(std::move(part));
  std::move(ways.begin(), ways.end(), std::back_inserter(out.parts));
}

// Of each bay the disks before the present one.
void add_tenants(Layout& out, const Context& context) {
  if (!context.bays) return;
  for (const auto& [bay, stays] : context.bays->bays()) {
    const size_t first = stays.size() - std::min(stays.size(), kMostTenants);
    for (size_t i = first; i < stays.size(); ++i) {
      if (stays[i].disk.empty() || context.inventory.find(stays[i].disk)) continue;
      Layout::Part part;
      part.name = stays[i].disk;
      part.above = {{bay, HubKind::bay}};
      part.model = stays[i].model;
      part.used = false;
      out.parts.push_back(std::move(part));
    }
  }
}

bool is_on_a_known_disk(const Inventory& inventory, const Resource& vdev) {
  return std::any_of(vdev.edges.begin(), vdev.edges.end(), [&](const Edge& edge) {
    return edge.relation == Relation::redundancy && inventory.find(edge.to);
  });
}

}  // namespace

std::vector<std::string> paths_to(const Context& context, const std::string& disk) {
  std::vector<std::string> out;
  for (const std::string& leading : context.paths.to(disk))
    if (const Resource* r = context.inventory.find(leading); r && r->type == "path")
      out.push_back(leading);
  return out.size() < 2 ? std::vector<std::string>() : out;
}

blame::Layout blame_layout(const Context& context) {
  Layout out;
  for (const auto& [fmri, r] : context.inventory.all()) {
    if (r.type == "disk") add_disk(out, context, r);
    if (r.type != "zfs-vdev" || !r.is("vdev_type", "disk") ||
        is_on_a_known_disk(context.inventory, r))
      continue;
    Layout::Part part;
    part.name = fmri;
    add_redundancy(part, redundancy_above(context.inventory, r));
    out.parts.push_back(std::move(part));
  }
  add_tenants(out, context);
  return out;
}

}  // namespace fmd
