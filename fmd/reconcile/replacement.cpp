#include "fmd/reconcile/replacement.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>

#include "fmd/base/capacity.h"
#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "fmd/reconcile/observed.h"

namespace fmd {
namespace {

std::optional<uint64_t> number(const Resource& r, std::string_view property) {
  const auto at = r.properties.find(property);
  if (at == r.properties.end()) return {};
  if (const auto* u = std::get_if<uint64_t>(&at->second)) return *u;
  if (const auto* i = std::get_if<int64_t>(&at->second); i && *i >= 0)
    return static_cast<uint64_t>(*i);
  return {};
}

// The top-level vdev that it is part of; itself when it is one.
const Resource* top_of(const Inventory& inventory, std::string_view asru) {
  const Resource* top = inventory.find(asru);
  for (const Resource* above = top; above; above = nullptr)
    for (const Resource* parent : inventory.parents(top->fmri, Relation::redundancy))
      if ((parent->type == "zfs-vdev" || parent->type == "md-array") && parent->present) {
        top = above = parent;
        break;
      }
  return top;
}

void collect_disks(const Inventory& inventory, const Resource& from,
                   std::vector<const Resource*>& disks) {
  for (const Edge& edge : from.edges) {
    const Resource* r = edge.relation == Relation::redundancy ? inventory.find(edge.to) : nullptr;
    if (!r) continue;
    if (r->type == "disk")
      disks.push_back(r);
    else
      collect_disks(inventory, *r, disks);
  }
}

// The disks of the same top-level vdev, the old one among them.
std::vector<const Resource*> kin_of(const Inventory& inventory, std::string_view asru,
                                    const Resource* old_disk, const Resource& disk) {
  std::vector<const Resource*> kin;
  if (const Resource* top = top_of(inventory, asru)) collect_disks(inventory, *top, kin);
  if (old_disk) kin.push_back(old_disk);
  std::erase(kin, &disk);
  return kin;
}

// Other use of the disk: "is a hot spare of pool tank"; "": none.
std::string use_of(const Inventory& inventory, std::string_view asru, const Resource& disk) {
  for (const Resource* vdev : inventory.parents(disk.fmri, Relation::redundancy)) {
    if (!vdev->present || vdev->fmri == asru) continue;
    return fmt::format("is {} {} {}", vdev->is("role", "spare") ? "a hot spare of" : "in use in",
                       vdev->type == "md-member" ? "md array" : "pool", display(vdev->get("pool")));
  }
  return {};
}

std::string smallness(const std::vector<const Resource*>& kin, const Resource& disk) {
  std::optional<uint64_t> needed;
  for (const Resource* one : kin)
    if (const auto size = number(*one, "size_bytes"); size && *size > 0)
      needed = std::min(needed.value_or(*size), *size);
  const auto has = number(disk, "size_bytes");
  if (!needed || !has || *has >= *needed) return {};
  const uint64_t lacks = *needed - *has;
  if (lacks < *needed / 1000) return fmt::format("is {} bytes too small", lacks);
  return fmt::format("is too small ({}; {} are needed)", format_capacity(*has),
                     format_capacity(*needed));
}

Fitness unfit(Unfit how, std::string why) {
  Fitness out;
  out.unfit = how;
  out.why = std::move(why);
  return out;
}

// log2 of the sectors that the vdev was made for. A top-level vdev has the largest of its leaves'.
std::optional<int> ashift_of(const Inventory& inventory, std::string_view asru) {
  const Resource* top = top_of(inventory, asru);
  const auto ashift = top ? number(*top, "ashift") : std::nullopt;
  return ashift && *ashift > 0 && *ashift < 32 ? std::optional(static_cast<int>(*ashift))
                                               : std::nullopt;
}

// md takes over what its members promise as their logical block: one with a larger one would change that under the file system. How
// large their physical ones are only makes it slower or faster.
Fitness md_sectors(const std::vector<const Resource*>& kin, const Resource& disk) {
  const uint64_t block = number(disk, "sector_bytes").value_or(0);
  uint64_t made_for = 0;
  for (const Resource* one : kin)
    made_for = std::max(made_for, number(*one, "sector_bytes").value_or(0));
  if (block == 0 || made_for == 0 || block <= made_for) return {};
  return unfit(
      Unfit::sector_size,
      fmt::format("has logical sectors of {} bytes, and the array's are {}", block, made_for));
}

// ZFS takes one with larger physical sectors when it is told the vdev's ashift (also where that is greater than what its disks let
// one suppose). One with larger logical ones OpenZFS 2.1 takes so too, and each smaller write fails then: it holds no whole copy.
Fitness zfs_sectors(const Inventory& inventory, std::string_view asru,
                    const std::vector<const Resource*>& kin, const Resource& disk) {
  const uint64_t logical = number(disk, "sector_bytes").value_or(0);
  const uint64_t sector = std::max(logical, number(disk, "physical_sector_bytes").value_or(0));
  const auto ashift = ashift_of(inventory, asru);
  uint64_t made_for = ashift ? uint64_t{1} << *ashift : 0;
  if (!ashift)
    for (const Resource* one : kin)
      made_for = std::max({made_for, number(*one, "sector_bytes").value_or(0),
                           number(*one, "physical_sector_bytes").value_or(0)});
  if (sector == 0 || made_for == 0 || sector <= made_for) return {};
  Fitness out =
      unfit(logical > made_for ? Unfit::larger_blocks : Unfit::sector_size,
            fmt::format("has sectors of {} bytes, and the vdev is made for {}", sector, made_for));
  if (logical <= made_for && std::has_single_bit(made_for)) out.ashift = std::countr_zero(made_for);
  return out;
}

bool is_other_kind(const std::vector<const Resource*>& kin, const Resource* old_disk,
                   const Resource& disk) {
  if (!disk.is("rotational", "true")) return false;
  if (old_disk && !old_disk->get("rotational").empty()) return old_disk->is("rotational", "false");
  return !kin.empty() && std::all_of(kin.begin(), kin.end(), [](const Resource* one) {
    return one->is("rotational", "false");
  });
}

// Another case waits for its own replacement there.
bool is_meant_for_another(const Engine& engine, const std::string& bay, const Case& c,
                          const std::string& disk) {
  const auto cases = engine.cases_by_bay(bay);
  return std::any_of(cases.begin(), cases.end(), [&](const Case* other) {
    return other->uuid != c.uuid && other->faulty() && other->retire.replace_same_bay &&
           std::any_of(other->suspects.begin(), other->suspects.end(), [&](const Suspect& s) {
             return s.bay == bay && s.status == SuspectStatus::faulty && s.fru != disk;
           });
  });
}

const Resource* in_its_place(const Inventory& inventory, const std::string& asru) {
  const Resource* vdev = inventory.find(asru);
  if (!vdev || !vdev->is("place", "other") || !vdev->is("autoreplace", "true")) return nullptr;
  const Resource* disk = inventory.find(vdev->get("place_disk"));
  return disk && disk->present && disk->type == "disk" ? disk : nullptr;
}

// It is certain that it came after that time.
bool came_after(const Tenancy& t, int64_t wall_ns) {
  return t.from_ns > wall_ns && (t.from_exact || t.from_after_ns != 0);
}

}  // namespace

Fitness fitness(const Inventory& inventory, std::string_view asru, const Resource* old_disk,
                const Resource& disk) {
  if (std::string use = use_of(inventory, asru, disk); !use.empty())
    return unfit(Unfit::in_use, std::move(use));
  const auto kin = kin_of(inventory, asru, old_disk, disk);
  if (std::string why = smallness(kin, disk); !why.empty())
    return unfit(Unfit::too_small, std::move(why));
  if (Fitness out = asru.starts_with("md://") ? md_sectors(kin, disk)
                                              : zfs_sectors(inventory, asru, kin, disk);
      out.unfit != Unfit::none)
    return out;
  if (const std::string other = disk.get("disputed"); !other.empty())
    return unfit(Unfit::disputed, "cannot be identified for certain: " + display(other));
  if (is_other_kind(kin, old_disk, disk))
    return unfit(Unfit::other_kind, "is a hard disk, and it would stand in for an SSD");
  const std::string reason = display(disk.get("content_reason"));
  if (disk.is("content", "used"))
    return unfit(Unfit::not_blank, "is not blank" + (reason.empty() ? "" : ": " + reason));
  if (disk.is("content", "blank")) return {};
  std::string unread = "could not be read";
  if (reason.starts_with("it "))  // "it cannot be read: Input/output error"
    unread = reason.substr(3);
  else if (!reason.empty())
    unread += ": " + reason;
  Fitness out = unfit(Unfit::unread, std::move(unread));
  out.waits = reason.empty();
  return out;
}

nlohmann::json replacement_args(const Resource& disk) {
  nlohmann::json args{{"device", disk.fmri}, {"path", disk.get("path")}};
  if (const std::string serial = disk.get("serial"); !serial.empty()) args["serial"] = serial;
  if (const auto size = number(disk, "size_bytes"); size && *size > 0) args["size_bytes"] = *size;
  return args;
}

Newcomers newcomers(const Engine& engine, const BayHistory* bays, const Case& c, const Suspect& s) {
  const Inventory& inventory = engine.inventory();
  Newcomers out;
  out.in_place = in_its_place(inventory, s.asru);
  const auto newcomer = [&](const std::string& fmri) -> const Resource* {
    const Resource* r = inventory.find(fmri);
    return r && r->present && r->type == "disk" && fmri != s.fru ? r : nullptr;
  };
  if (const Resource* bay = s.bay.empty() ? nullptr : inventory.find(s.bay))
    for (const Edge& e : bay->edges)
      if (const Resource* r = e.relation == Relation::contains ? newcomer(e.to) : nullptr)
        out.in_bay = r;
  if (!bays) return out;
  for (const auto& [bay, stays] : bays->bays()) {
    if (bay == s.bay || stays.empty()) continue;
    const Tenancy& last = stays.back();
    const Resource* r =
        last.to_ns == 0 && came_after(last, c.solved_ns) ? newcomer(last.disk) : nullptr;
    if (r && use_of(inventory, s.asru, *r).empty() &&
        !is_meant_for_another(engine, bay, c, r->fmri))
      out.elsewhere.push_back(r);
  }
  return out;
}

std::string new_disk_name(const Inventory& inventory, const Resource& disk) {
  const std::string where = inventory.location(disk.fmri);
  const std::string serial = display(disk.get("serial"));
  if (where.empty()) return fmt::format("the new disk with serial {}", serial);
  return fmt::format("the new disk in {} (serial {})", display(where), serial);
}

bool is_being_filled(const Inventory& inventory, const Resource& disk) {
  std::set<std::string, std::less<>> members;
  for (const Resource* leaf : inventory.parents(disk.fmri, Relation::redundancy))
    members.insert(leaf->fmri);
  return std::any_of(inventory.all().begin(), inventory.all().end(), [&](const auto& entry) {
    return members.contains(entry.second.get("replacing"));
  });
}

std::string how_to_take(std::string_view asru, const Resource& disk, const Fitness& fit) {
  if (fit.unfit == Unfit::in_use) return "Put another one in";
  if (fit.unfit == Unfit::larger_blocks)
    return "ZFS cannot use it there; put one with smaller sectors in";
  const std::string command =
      fmt::format("'fmadm replace {} {}", display(asru), display(disk.fmri));
  switch (fit.unfit) {
    case Unfit::none:
      return command + "' takes it";
    case Unfit::not_blank:
      return command + " --force' uses it anyway, and what is on it is lost";
    case Unfit::too_small:
      return "Put a larger one in; " + command +
             (asru.starts_with("zfs://") ? " --force' has ZFS try it" : " --force' has md try it");
    case Unfit::disputed:
      return "Look at the label on the disk; " + command + " --force' uses it";
    case Unfit::unread:
      return "Put another one in; " + command + " --force' uses it anyway";
    case Unfit::other_kind:
    case Unfit::sector_size:
    case Unfit::larger_blocks:
    case Unfit::in_use:
      break;
  }
  return command + " --force' uses it anyway, and it may slow the pool down";
}

Offer offer_of(const Inventory& inventory, std::string_view asru,
               const std::vector<const Resource*>& disks, const Resource* old_disk,
               const std::string& where) {
  Offer out;
  std::vector<std::string> names;
  for (const Resource* disk : disks) {
    const Fitness fit = fitness(inventory, asru, old_disk, *disk);
    if (fit.waits) continue;
    names.push_back(new_disk_name(inventory, *disk));
    out.news = fmt::format("{} is not in {}, so it is not used automatically{}{}", names.back(),
                           where.empty() ? "the bay of the faulted one" : display(where),
                           fit.why.empty() ? "" : ", and it ", fit.why);
    out.by_hand = how_to_take(asru, *disk, fit);
    const std::string bay = inventory.location(disk->fmri);
    out.allowed = fit.unfit == Unfit::none && !bay.empty() ? "is in " + display(bay) : "";
  }
  if (names.size() < 2) return out;
  return {
      fmt::format("{} are in other bays, so none is used automatically", fmt::join(names, " and ")),
      fmt::format("'fmadm replace {} DISK' takes the one that you name", display(asru)), ""};
}

std::string why_unfilled(const Asru& a, const Asru& newcomer) {
  return fmt::format(
      "the new disk {} is {} before it held all data. Put it back, or a blank one "
      "into its bay; 'fmadm replace {} DISK' takes another",
      newcomer.name, newcomer.state, display(a.fmri));
}

}  // namespace fmd
