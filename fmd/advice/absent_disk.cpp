#include "fmd/advice/absent_disk.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "fmd/advice/part_names.h"
#include "fmd/advice/storage.h"
#include "fmd/base/text.h"

namespace fmd {
namespace {

struct Member {
  const Resource* leaf;
  const Resource* disk;
};

void collect_members(const Inventory& inventory, const Resource& from, int depth,
                     std::vector<Member>& out) {
  constexpr int kDeepest = 8;
  for (const Edge& edge : from.edges) {
    const Resource* below =
        edge.relation == Relation::redundancy ? inventory.find(edge.to) : nullptr;
    if (!below) continue;
    if (below->type == "disk")
      out.push_back({&from, below});
    else if (depth < kDeepest)
      collect_members(inventory, *below, depth + 1, out);
  }
}

// A volume of LVM has no members in between.
std::vector<const Resource*> storages_of_disk(const Situation& s, const Inventory& inventory) {
  std::vector<const Resource*> out;
  if (s.storage) out.push_back(s.storage);
  for (const Resource* user : inventory.parents(s.suspect->fru, Relation::redundancy))
    if (user->present && user->type == "lvm-volume") out.push_back(user);
  return out;
}

// The pool goes on without this disk: it never held data, or another one has its place.
bool is_missed(const Resource& leaf) {
  const bool idle = leaf.is("role", "spare") || leaf.is("role", "cache");
  return leaf.present && !idle && !leaf.is("spare", "active") && leaf.get("replacing").empty();
}

// The open case about that disk which says the most: one that asks for a new disk.
const Suspect* accused_in(const SayWorld& world, const std::string& disk, bool& asks_for_new) {
  const Suspect* found = nullptr;
  for (const Case* c : world.open) {
    if (!c->faulty() || c->state == CaseState::unsolved || c->information) continue;
    for (const Suspect& suspect : c->suspects) {
      if (suspect.fru != disk || suspect.status != SuspectStatus::faulty) continue;
      found = &suspect;
      // A case about nothing but the absence ends when the same disk is back.
      const bool absence = is_wrong_disk(c->fault_class) || c->retire.returns;
      asks_for_new = asks_for_new || (!absence && (c->replaces || c->retire.replace_same_bay));
    }
  }
  return found;
}

// Its bay shows something: it has dropped off its bus, or another disk is there.
bool may_be_in_bay(const Inventory& inventory, const Suspect* suspect) {
  const Resource* bay = suspect ? inventory.find(suspect->bay) : nullptr;
  return bay && bay->is("occupied", "true");
}

}  // namespace

std::optional<AbsentDisk> absent_disk_of(const Situation& s, const SayWorld& world) {
  const bool over = s.state == SayState::repaired || s.state == SayState::resilvering;
  if (!s.is_disk || !s.present || !s.replaces || over) return {};
  const Inventory& inventory = world.inventory;
  for (const Resource* storage : storages_of_disk(s, inventory)) {
    std::vector<Member> members;
    collect_members(inventory, *storage, 0, members);
    for (const Member& one : members) {
      if (one.disk->present || one.disk->fmri == s.suspect->fru || !is_missed(*one.leaf)) continue;
      AbsentDisk out;
      const Suspect* suspect = accused_in(world, one.disk->fmri, out.awaits_new);
      if (may_be_in_bay(inventory, suspect)) continue;
      out.in_bay = suspect && !suspect->location.empty();
      out.serial = display(one.disk->get("serial"), 60);
      out.storage = storage->type == "lvm-volume" ? "volume " + display(storage->get("name"), 60)
                                                  : storage_name(*storage);
      out.name = suspect ? suspect_words(inventory, *suspect) : "disk " + out.serial;
      if (!suspect && out.serial.empty()) out.name = resource_words(inventory, one.disk->fmri);
      return out;
    }
  }
  return {};
}

void order_its_return(const AbsentDisk& absent, const Situation& s, Orders& out) {
  const bool stays = out.do_now.starts_with("Do not pull");
  if (absent.awaits_new)
    out.do_now =
        fmt::format("Put a blank disk into {} first: {} waits for it",
                    absent.in_bay ? absent.name : "the bay of " + absent.name, absent.storage);
  else if (absent.in_bay && !absent.serial.empty())
    out.do_now = fmt::format("Put the disk with serial {} back into {} first: {} lacks it",
                             absent.serial, absent.name, absent.storage);
  else
    out.do_now = fmt::format("Put {}{} back first: {} lacks it",
                             absent.in_bay ? "the disk of " : "", absent.name, absent.storage);
  const std::string disk = the_disk(s);
  const std::string when = s.vdev ? "When 'fmadm resilver' shows the end" : "After that";
  out.steps.insert(
      out.steps.begin(),
      stays ? fmt::format("Until then do not pull {}.", disk)
            : fmt::format("{}, replace {} with a blank one at least as large.", when, disk));
}

}  // namespace fmd
