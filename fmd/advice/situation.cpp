#include "fmd/advice/situation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "fmd/advice/btrfs_disk.h"
#include "fmd/advice/part_names.h"
#include "fmd/advice/storage.h"
#include "fmd/base/text.h"

namespace fmd {
namespace {

bool is_member(const Resource* r) {
  return r && (r->type == "zfs-vdev" || r->type == "md-member") && !r->get("service").empty();
}

const Suspect* lead_of(const Case& c) {
  for (const Suspect& s : c.suspects)
    if (s.status == SuspectStatus::faulty) return &s;
  return c.suspects.empty() ? nullptr : &c.suspects.front();
}

// By the suspects that are about the same disk, else by what uses it.
const Resource* member_on(const Case& c, const Suspect& lead, const Inventory& inventory) {
  for (const Suspect& s : c.suspects)
    if (s.status == SuspectStatus::faulty && s.fru == lead.fru)
      if (const Resource* r = inventory.find(s.asru); is_member(r)) return r;
  if (const Resource* r = inventory.find(lead.asru); is_member(r)) return r;
  if (!lead.fru.starts_with("dev://")) return nullptr;
  for (const Resource* r : inventory.parents(lead.fru, Relation::redundancy))
    if (is_member(r) && r->present && !is_idle_spare(*r)) return r;
  return nullptr;
}

const Resource* idle_spare_on(const Inventory& inventory, const std::string& disk) {
  for (const Resource* r : inventory.parents(disk, Relation::redundancy))
    if (is_member(r) && r->present && is_idle_spare(*r)) return r;
  return nullptr;
}

const Resource* disk_in(const Inventory& inventory, const std::string& bay,
                        const std::string& but) {
  const Resource* r = bay.empty() ? nullptr : inventory.find(bay);
  if (!r) return nullptr;
  for (const Edge& edge : r->edges) {
    const Resource* disk =
        edge.relation == Relation::contains && edge.to != but ? inventory.find(edge.to) : nullptr;
    if (disk && disk->present && disk->type == "disk") return disk;
  }
  return nullptr;
}

bool has_action(const Case& c, ActionKind kind, ActionState state) {
  return std::any_of(c.actions.begin(), c.actions.end(),
                     [&](const Action& a) { return a.kind == kind && a.state == state; });
}

bool is_held_up(const Case& c, ActionKind kind, Obstacle obstacle) {
  return std::any_of(c.actions.begin(), c.actions.end(), [&](const Action& a) {
    return a.kind == kind && a.obstacle == obstacle && a.state != ActionState::done;
  });
}

// A disk whose absence is the fault may come back, until another one sits in its bay.
bool was_pulled(const Case& c, const Situation& s, const Inventory& inventory) {
  if (!s.is_disk) return false;
  const bool absence = s.suspect->facts.contains(kWasGone) || c.retire.returns;
  if (absence && !s.newcomer) return false;
  const Resource* disk = inventory.find(s.suspect->fru);
  return disk && !disk->present;
}

bool is_out(const Resource& member) {
  return member.is("service", "out-of-service") || member.is("service", "removed");
}

SayState state_of(const Case& c, const Situation& s, const Inventory& inventory) {
  if (!c.faulty() && c.state != CaseState::unsolved) return SayState::repaired;
  if (c.information) return SayState::informed;
  if (!s.is_disk || !c.undecided().empty()) return SayState::diagnosed;
  if (s.spare_stays) return SayState::spare_resilvering;
  if (s.vdev && !s.vdev->get("replacing").empty()) return SayState::resilvering;
  if (has_action(c, ActionKind::replace, ActionState::resilvering)) return SayState::resilvering;
  // A disk in another bay is a step; the order is still about this one.
  if (s.newcomer && is_held_up(c, ActionKind::replace, Obstacle::not_accepted))
    return SayState::unfit_disk;
  if (was_pulled(c, s, inventory)) return SayState::disk_pulled;
  if (!s.vdev) return SayState::diagnosed;
  if (s.vdev->is("spare", "active")) return SayState::spare_holds_all;
  if (s.vdev->is("spare", "resilvering")) return SayState::spare_resilvering;
  if (is_held_up(c, ActionKind::retire, Obstacle::busy)) return SayState::waiting_scrub;
  const bool absence = c.retire.returns || s.suspect->facts.contains(kWasGone);
  return is_out(*s.vdev) && !absence ? SayState::out_of_service : SayState::diagnosed;
}

// Adds the shelf if another shelf has a "SLOT 04" too. Nearly every box has a "PS1" and a "FAN1", so these are always
// named with theirs; the processors are the machine's, whatever else is called "cpu1".
std::string told_apart(const Case& c, const Situation& s, const SayWorld& world) {
  if (!s.is_disk && c.suspects.size() != 1) return s.name;
  const Suspect& suspect = *s.suspect;
  const Resource* place = world.inventory.find(s.is_disk              ? suspect.bay
                                               : !suspect.fru.empty() ? suspect.fru
                                                                      : suspect.resource);
  const Resource* box = place ? world.inventory.find(place->get("enclosure")) : nullptr;
  if (!box || place->type == "cpu") return s.name;
  const std::string label = box->get("label"), id = box->get("id");
  const bool of_every_box = (place->type == "psu" || place->type == "fan") && !label.empty();
  if (!of_every_box && !world.index.is_ambiguous(place->get("label"), place->type)) return s.name;
  const bool by_id = label.empty() || world.index.is_ambiguous(label);
  if (by_id && id.empty()) return s.name;
  return fmt::format("{} of {}", s.name, display(by_id ? id : label, 40));
}

// A case about a disk of a pool takes the new one in its bay from when it is pulled: the fault that
// ZFS shows then joins the case, and its policy does (rule zfs-pulled).
bool joins_once_pulled(const Situation& s) {
  if (!s.vdev || s.vdev->type != "zfs-vdev") return false;
  static constexpr std::array<std::string_view, 4> kRoles{"data", "log", "special", "dedup"};
  return std::find(kRoles.begin(), kRoles.end(), s.vdev->get("role")) != kRoles.end();
}

bool is_one_disk(const Case& c, const Suspect& lead) {
  if (!lead.fru.starts_with("dev://") || lead.fru.starts_with("dev://path=")) return false;
  return std::all_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
    return s.status != lead.status || s.fru == lead.fru;
  });
}

}  // namespace

bool may_share_cause(const Case& c, const Situation& s) {
  constexpr int kMany = 3;
  constexpr std::array kBefore{SayState::diagnosed, SayState::waiting_scrub,
                               SayState::spare_resilvering, SayState::spare_holds_all,
                               SayState::out_of_service};
  return s.ailing >= kMany && s.replaces && c.state != CaseState::unsolved &&
         std::find(kBefore.begin(), kBefore.end(), s.state) != kBefore.end();
}

bool takes_from_bay(const Situation& s, const SayWorld& world) {
  return world.auto_replace && !s.suspect->bay.empty() &&
         (!s.vdev || (acts_on(world.inventory, *s.vdev) && !s.vdev->is("partition", "true") &&
                      !s.vdev->is("mapped", "true")));
}

Situation situation_of(const Case& c, const SayWorld& world) {
  const Inventory& inventory = world.inventory;
  Situation s;
  s.name = suspects_words(inventory, c);
  s.suspect = lead_of(c);
  if (!s.suspect) return s;
  s.is_disk = is_one_disk(c, *s.suspect);
  const Resource* disk = s.is_disk ? inventory.find(s.suspect->fru) : nullptr;
  s.present = disk && disk->present;
  s.name = told_apart(c, s, world);
  s.vdev = member_on(c, *s.suspect, inventory);
  s.storage = storage_of(inventory, s.vdev ? s.vdev->fmri : s.suspect->resource);
  if (s.is_disk && !s.vdev) {
    s.idle_spare = idle_spare_on(inventory, s.suspect->fru);
    s.btrfs = btrfs_device_on(inventory, s.suspect->fru);
    if (s.btrfs) s.storage = btrfs_of(inventory, *s.btrfs);
  }
  if (s.vdev)
    if (const Resource* by = inventory.find(s.vdev->get("spare_by")))
      s.spare = disk_words(inventory, *by);
  if (const Resource* by = s.vdev ? spare_taking_over(inventory, *s.vdev) : nullptr) {
    s.spare = disk_words(inventory, *by);
    s.spare_stays = true;
  }
  if (s.is_disk) s.newcomer = disk_in(inventory, s.suspect->bay, s.suspect->fru);
  s.out = s.vdev ? is_out(*s.vdev) : s.btrfs && s.btrfs->is("state", "missing");
  // The kernel lists the failed member until it is removed.
  s.superseded = s.vdev && s.out && !s.spare_stays && s.vdev->type == "md-member" && s.storage &&
                 s.storage->is("health", "optimal");
  s.automatic = s.vdev && c.retire.replace_same_bay && takes_from_bay(s, world) && !s.spare_stays &&
                !s.superseded;
  if (s.vdev && s.storage) s.ailing = ailing_members(inventory, *s.storage);
  if (const Resource* by = s.vdev ? inventory.find(s.vdev->get("replacing")) : nullptr)
    s.new_disk_lost = is_out(*by);
  const Resource* member = s.vdev ? s.vdev : s.btrfs;
  s.only_copy = member && s.storage && must_come_back(inventory, *member);
  s.state = state_of(c, s, inventory);
  s.spare_follows = s.state == SayState::waiting_scrub && c.retire.spare && !world.dry_run &&
                    number_in(*s.vdev, "spares_available", 0) > 0;
  s.replaces = s.is_disk && c.replaces;
  s.new_is_taken = s.automatic || (s.replaces && joins_once_pulled(s) && takes_from_bay(s, world));
  return s;
}

}  // namespace fmd
