#include "fmd/control/named_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "fmd/base/text.h"
#include "fmd/model/part_name.h"
#include "fmd/reconcile/observed.h"

namespace fmd {
namespace {

constexpr size_t kMostListed = 12;

using Found = Result<std::vector<const Resource*>>;

Found named(const Inventory& inventory, std::string_view part) {
  auto found = inventory.meant(part);
  if (found && found->empty())
    return fail(fmt::format("no part is known by the name \"{}\"; see fmtopo", display(part)));
  return found;
}

// "core 3 of CPU1": by a name that means no other part, else by the FMRI.
std::string name_to_give(const Inventory& inventory, const std::string& fmri) {
  const Resource* r = inventory.find(fmri);
  const std::string name = r ? name_of(*r) : std::string();
  const auto found =
      is_plain_name(name) ? inventory.lookup(name) : decltype(inventory.lookup(""))();
  return found.size() == 1 && found.front() == r ? name : fmri;
}

Result<std::string> only(const Inventory& inventory, const std::set<std::string>& fmris,
                         std::string_view part, const std::string& if_none) {
  if (fmris.empty()) return fail(if_none);
  if (fmris.size() == 1) return *fmris.begin();
  std::vector<std::string> names;
  for (const std::string& fmri : fmris) names.push_back(name_to_give(inventory, fmri));
  return fail(fmt::format("\"{}\" may be any of {}: name one of these", display(part),
                          fmt::join(names, ", ")));
}

// A pool, an array, or a vdev made of vdevs.
bool is_group(const Inventory& inventory, const Resource& r) {
  if (r.type == "zfs-pool" || r.type == "md-array") return true;
  return r.type == "zfs-vdev" && std::any_of(r.edges.begin(), r.edges.end(), [&](const Edge& edge) {
           const Resource* below =
               edge.relation == Relation::redundancy ? inventory.find(edge.to) : nullptr;
           return below && below->type == "zfs-vdev";
         });
}

// "SLOT 03 (serial S1)", as a person may name it again; a leaf vdev without a disk by its own name.
void collect_leaves(const Inventory& inventory, const Resource& from,
                    std::vector<std::string>& leaves) {
  bool any = false;
  for (const Edge& edge : from.edges) {
    const Resource* r = edge.relation == Relation::redundancy ? inventory.find(edge.to) : nullptr;
    if (!r) continue;
    any = true;
    if (r->type != "disk") {
      collect_leaves(inventory, *r, leaves);
      continue;
    }
    const std::string where = r->present ? inventory.location(r->fmri) : "";
    const std::string serial = "serial " + display(r->get("serial"));
    leaves.push_back(where.empty() ? serial : fmt::format("{} ({})", display(where), serial));
  }
  if (!any && (from.type == "zfs-vdev" || from.type == "md-member"))
    leaves.push_back(display(from.get("name")));
}

Result<void> refuse_groups(const Inventory& inventory, const std::vector<const Resource*>& found,
                           std::string_view part) {
  for (const Resource* r : found) {
    if (!is_group(inventory, *r)) continue;
    std::vector<std::string> leaves;
    collect_leaves(inventory, *r, leaves);
    const size_t more = leaves.size() - std::min(leaves.size(), kMostListed);
    leaves.resize(leaves.size() - more);
    return fail(
        fmt::format("\"{}\" is a {}, not one disk; name one of its disks: {}{}", display(part),
                    r->type == "zfs-pool"   ? "pool"
                    : r->type == "md-array" ? "md array"
                                            : "vdev of several",
                    leaves.empty() ? "none is known" : fmt::format("{}", fmt::join(leaves, ", ")),
                    more == 0 ? "" : fmt::format(", and {} more (see fmtopo)", more)));
  }
  return {};
}

// Parts that can be taken out of service have a property `service` (schemas/resources.md).
bool has_service(const Resource& resource) {
  return resource.present && !resource.get("service").empty();
}

// The part itself, or the parts above it: above a bay's disk, above the disks with its data.
void collect_asrus(const Inventory& inventory, const Resource& part, std::set<std::string>& asrus) {
  if (has_service(part)) {
    asrus.insert(part.fmri);
    return;
  }
  std::set<std::string> held = {part.fmri};
  for (const Edge& edge : part.edges)
    if (edge.relation == Relation::contains) held.insert(edge.to);
  for (const std::string& fmri : held) {
    if (const Resource* inside = inventory.find(fmri); inside && has_service(*inside))
      asrus.insert(fmri);
    for (const Resource* user : inventory.parents(fmri, Relation::redundancy))
      if (has_service(*user)) asrus.insert(user->fmri);
  }
}

// Parts of that name in open cases.
void collect_suspected(const Engine& engine, std::string_view part, std::set<std::string>& asrus) {
  for (const auto& [uuid, c] : engine.cases()) {
    if (!c.open() || c.state == CaseState::unsolved) continue;
    for (const Suspect& s : c.suspects) {
      const Resource* asru = engine.inventory().find(s.asru);
      if (s.status != SuspectStatus::faulty || !asru || !has_service(*asru)) continue;
      const Resource* bay = engine.inventory().find(s.bay);
      for (const std::string& name : {s.fru, s.bay, s.location, s.serial, s.device_path,
                                      bay ? bay->get("label") : std::string()})
        if (!name.empty() && name == part) asrus.insert(s.asru);
    }
  }
}

// Why none of these parts can be taken out of service, and what to name instead.
std::string no_asru(const std::vector<const Resource*>& found, std::string_view part) {
  const std::string name = display(part);
  const bool empty_bay =
      found.size() == 1 && found.front()->type == "bay" &&
      std::none_of(found.front()->edges.begin(), found.front()->edges.end(),
                   [](const Edge& e) { return e.relation == Relation::contains; });
  if (empty_bay)
    return fmt::format(
        "{} is empty: name the disk that was in it by its serial number, which 'fmadm history "
        "\"{}\"' shows",
        name, name);
  return fmt::format("\"{}\" cannot be taken out of service, and neither can anything on it", name);
}

void collect_disks(const Inventory& inventory, const Resource& part, std::set<std::string>& disks) {
  if (part.type == "disk") disks.insert(part.fmri);
  for (const Edge& edge : part.edges)
    if (const Resource* held = inventory.find(edge.to);
        edge.relation == Relation::contains && held && held->type == "disk" && held->present)
      disks.insert(held->fmri);
  if (part.type != "zfs-vdev" && part.type != "md-member") return;
  if (const Resource* disk = inventory.descend(part.fmri, Relation::redundancy, "dev"))
    disks.insert(disk->fmri);
}

}  // namespace

Result<std::string> bay_named(const Inventory& inventory, std::string_view part) {
  const Found found = named(inventory, part);
  if (!found) return tl::unexpected(found.error());
  if (auto one = refuse_groups(inventory, *found, part); !one) return tl::unexpected(one.error());
  std::set<std::string> bays;
  for (const Resource* resource : *found) {
    const Resource* disk = inventory.descend(resource->fmri, Relation::redundancy, "dev");
    const std::string held = disk ? disk->fmri : resource->fmri;
    const bool is_machine = resource->type == "system" && !resource->get("led.locate").empty();
    if (resource->type == "bay" || is_machine) bays.insert(resource->fmri);
    for (const Resource* parent : inventory.parents(held, Relation::contains))
      if (parent->type == "bay") bays.insert(parent->fmri);
  }
  return only(inventory, bays, part,
              fmt::format("no bay is known that holds \"{}\"", display(part)));
}

Result<std::string> disk_named(const Inventory& inventory, std::string_view part) {
  const Found found = named(inventory, part);
  if (!found) return tl::unexpected(found.error());
  if (auto one = refuse_groups(inventory, *found, part); !one) return tl::unexpected(one.error());
  std::set<std::string> disks;
  for (const Resource* resource : *found) collect_disks(inventory, *resource, disks);
  auto disk = only(inventory, disks, part,
                   fmt::format("\"{}\" is not a disk and holds none", display(part)));
  if (disk && !inventory.find(*disk)->present)
    return fail(fmt::format("the disk {} is not there", display(part)));
  return disk;
}

Result<std::string> asru_named(const Engine& engine, std::string_view part) {
  const Inventory& inventory = engine.inventory();
  std::set<std::string> asrus;
  const Found found = named(inventory, part);
  if (found)
    for (const Resource* resource : *found) collect_asrus(inventory, *resource, asrus);
  if (asrus.empty()) collect_suspected(engine, part, asrus);
  if (asrus.empty() && !found) return tl::unexpected(found.error());
  if (asrus.empty())
    if (auto one = refuse_groups(inventory, *found, part); !one) return tl::unexpected(one.error());
  return only(inventory, asrus, part,
              no_asru(found ? *found : std::vector<const Resource*>(), part));
}

std::string words_for(const Engine& engine, std::string_view part) {
  constexpr size_t kLongest = 200, kLongestWord = 80;
  const Inventory& inventory = engine.inventory();
  const auto disk = disk_named(inventory, part);
  const auto asru = disk ? disk : asru_named(engine, part);
  const Resource* found = asru ? inventory.find(*asru) : nullptr;
  if (!found) return display(part, kLongestWord);
  std::string words = disk && !found->get("serial").empty()
                          ? "disk " + display(found->get("serial"), kLongestWord)
                          : name_in_place(inventory, found->fmri);
  const auto bay = bay_named(inventory, part);
  const Resource* holder = bay ? inventory.find(*bay) : nullptr;
  if (holder && holder != found)
    words += " in " + display(name_in_place(inventory, holder->fmri), kLongestWord);
  return display(words, kLongest);
}

}  // namespace fmd
