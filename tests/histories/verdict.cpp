// The invariants for a world left alone for hours: each wish is met or has a reason why not; the
// table of interventions is true; interventions without a case are undone; last messages are true.
#include <fmt/format.h>

#include <algorithm>

#include "names.h"
#include "watch.h"

namespace fmd::histories {
namespace {

bool acts_on(const Case& c, std::string_view asru) {
  return c.open() && c.state != CaseState::unsolved &&
         std::any_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
           return s.asru == asru && s.status == SuspectStatus::faulty;
         });
}

int rank(VdevState s) {
  return s == VdevState::online || s == VdevState::avail || s == VdevState::inuse ? 0
         : s == VdevState::degraded                                               ? 1
                                                                                  : 2;
}

std::string describe(const Case& c, const Action& a) {
  return fmt::format("{}: {} of {} is {}{}{} ({})", c.uuid, action_name(a.kind), a.part,
                     action_state_name(a.state), a.obstacle == Obstacle::none ? "" : ", ",
                     obstacle_name(a.obstacle), a.detail);
}

// Its bay stays dark: its pool lost more disks than its redundancy covers, or has no other copy of its
// data.
bool must_stay(const World& world, const Suspect& s) {
  const int disk = disk_in(s.fru);
  const int leaf = leaf_in(s.asru) >= 0 ? leaf_in(s.asru) : disk >= 0 ? world.leaf_on(disk) : -1;
  if (leaf < 0) return false;
  const int pool = world.leafs[static_cast<size_t>(leaf)].pool;
  return (pool >= 0 && world.pools[static_cast<size_t>(pool)].suspended) ||
         world.is_last_copy(leaf);
}

// It holds data and is in no pool: fmd may have seen where else they are, or not.
bool is_of_unknown_use(const World& world, const Suspect& s) {
  const int disk = disk_in(s.fru);
  return disk >= 0 && world.leaf_on(disk) < 0 && !world.disks[static_cast<size_t>(disk)].blank;
}

}  // namespace

const Case* Watch::wishing(std::string_view asru) const {
  for (const Case* c : daemon_.engine().cases_by_asru(asru))
    if (acts_on(*c, asru)) return c;
  return nullptr;
}

void Watch::verdict() {
  if (!daemon_.up()) return violated("converges", "fmd is not there");
  for (const auto& [uuid, c] : daemon_.engine().cases()) {
    verdict_of_promises(c);
    if (c.open()) verdict_of_case(c);
  }
  verdict_of_retirements();
  verdict_of_spares();
  verdict_of_lights();
  verdict_of_table();
}

void Watch::verdict_of_case(const Case& c) {
  if (c.state == CaseState::unsolved) {
    const Case* cause =
        c.explained_by.empty() ? nullptr : daemon_.engine().find_case(c.explained_by);
    if (!cause || !cause->faulty())  // else it ends with that
      violated("converges", fmt::format("{} is unsolved after all that time", c.uuid));
    return;
  }
  for (const Action& a : c.actions) verdict_of_action(c, a);
  if (c.faulty()) return verdict_of_wishes(c);
  if (c.owed == 0) {
    // It waits for a part that another actor took out of service.
    const bool waits = std::any_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
      const int leaf = leaf_in(s.asru);
      return leaf >= 0 && rank(world_.state(leaf)) > 0;
    });
    if (!waits)
      violated("converges",
               fmt::format("{} is repaired, owes nothing, and is not resolved", c.uuid));
  }
}

// No action may claim that it will continue and then do nothing.
void Watch::verdict_of_action(const Case& c, const Action& a) {
  const int leaf = leaf_in(a.part);
  switch (a.state) {
    case ActionState::running:
      if (std::none_of(denied_.begin(), denied_.end(),
                       [&](const auto& d) { return d.first.second == a.part; }))
        violated("converges", describe(c, a));
      return;
    case ActionState::waiting:
    case ActionState::refused:
      if (a.obstacle == Obstacle::none)
        violated("converges", "no obstacle is named: " + describe(c, a));
      // Of a part that only a liar describes, which has left.
      if (a.obstacle == Obstacle::no_plugin && leaf_in(a.part) < 0 && bay_in(a.part) < 0) return;
      if (a.obstacle == Obstacle::no_plugin)
        violated("converges", "all plugins are there: " + describe(c, a));
      return;
    case ActionState::planned: {
      const bool held = std::any_of(c.actions.begin(), c.actions.end(), [&](const Action& other) {
        return other.part == a.part &&
               (other.obstacle != Obstacle::none || other.state == ActionState::lost);
      });
      const bool there = leaf >= 0 && world_.leafs[static_cast<size_t>(leaf)].in_pool;
      if (!held && there && c.faulty())
        violated("converges", "nothing holds it up: " + describe(c, a));
      return;
    }
    case ActionState::done:
      if (!c.faulty() || leaf < 0 || !world_.slot_of(leaf) || !acts_on(c, a.part)) return;
      if (world_.slot_of(leaf)->newcomer >= 0) return;
      if (a.kind == ActionKind::retire && rank(world_.state(leaf)) == 0)
        violated("converges",
                 fmt::format("it is {}: {}", state_word(world_.state(leaf)), describe(c, a)));
      if (a.kind == ActionKind::spare && world_.slot_of(world_.original_of(leaf))->spare < 0)
        violated("converges", "there is no spare in: " + describe(c, a));
      return;
    default:
      return;
  }
}

// Each wish has an action with its outcome.
void Watch::verdict_of_wishes(const Case& c) {
  for (const Suspect& s : c.suspects) {
    if (s.status != SuspectStatus::faulty) continue;
    const int leaf = leaf_in(s.asru);
    const bool out = leaf >= 0 && world_.slot_of(leaf);
    const bool replacing = out && world_.slot_of(leaf)->newcomer >= 0;
    if (out && !replacing && !c.retire.first.empty() && !c.find_action(ActionKind::retire, s.asru))
      violated("converges",
               fmt::format("{} wishes {} out and says nothing about it", c.uuid, s.asru));
    const int bay = bay_in(s.bay);
    if (c.led && s.undecided.empty() && bay >= 0 && !must_stay(world_, s) &&
        !is_of_unknown_use(world_, s) &&
        world_.bays[static_cast<size_t>(bay)].led == LedShape::works &&
        !world_.bays[static_cast<size_t>(bay)].fault)
      violated("converges",
               fmt::format("{} wishes the fault LED of {} on, and it is dark", c.uuid, s.bay));
  }
}

void Watch::verdict_of_promises(const Case& c) {
  const auto at = said_.find(c.uuid);
  if (c.state == CaseState::unsolved) return;
  if (at == said_.end()) {
    if (c.open()) violated("messages", fmt::format("nobody has been told of {}", c.uuid));
    return;
  }
  const Said& said = at->second;
  if (!c.open()) {
    if (said.resolved != 1)
      violated("messages", fmt::format("nobody has been told that {} is resolved", c.uuid));
    return;
  }
  if (!c.faulty()) return;
  for (const Action& a : c.actions) {
    const int bay = bay_in(a.part);
    const bool about = std::any_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
      return s.status == SuspectStatus::faulty && (bay >= 0 ? s.bay : s.asru) == a.part;
    });
    if (!about) continue;
    // An administrator wants it back, so it may be in service.
    if (daemon_.reconciler().kept_in_service().contains(a.part) &&
        a.state == ActionState::returning)
      continue;
    const auto promised = said.promised.find({a.kind, a.part});
    const bool was = promised == said.promised.end() ? !c.retire.first.empty() : promised->second;
    if (was && !promises(a) && a.state != ActionState::returned)
      violated("promise", fmt::format("the last message ('{}') said otherwise: {}", said.event,
                                      describe(c, a)));
  }
  if (!c.suspects.empty() && c.suspects.front().location != said.location)
    violated("promise",
             fmt::format("{}: the last message ('{}') says it is in '{}', it is in '{}'", c.uuid,
                         said.event, said.location, c.suspects.front().location));
}

// Retirements without a case are undone; each remaining one has its intervention.
void Watch::verdict_of_retirements() {
  for (size_t i = 0; i < world_.leafs.size(); ++i) {
    const Leaf& leaf = world_.leafs[i];
    if (leaf.retired_by.empty() || !leaf.in_pool || !world_.slot_of(static_cast<int>(i))) continue;
    const std::string fmri = leaf_fmri(leaf.pool, static_cast<int>(i));
    const Intervention* entry =
        daemon_.reconciler().interventions().find(InterventionKind::retire, fmri);
    if (!entry || (entry->key != leaf.retired_by && entry->level_key != leaf.retired_by)) {
      violated("table", fmt::format("fmd took {} out ({}), and its table {}",
                                    world_.leaf_name(static_cast<int>(i)), leaf.retired_by,
                                    entry ? "has another key: " + entry->key : "does not say so"));
      continue;
    }
    if (entry->owner.kind == Owner::Kind::person || wishing(fmri)) continue;
    const bool there = world_.disks[static_cast<size_t>(leaf.disk)].bay >= 0;
    if (there && !world_.pools[static_cast<size_t>(leaf.pool)].suspended)
      violated("give back", fmt::format("fmd took {} out, nobody wishes it any more, and it is {}",
                                        world_.leaf_name(static_cast<int>(i)),
                                        state_word(world_.state(static_cast<int>(i)))));
  }
}

void Watch::verdict_of_spares() {
  for (size_t p = 0; p < world_.pools.size(); ++p)
    for (const Top& top : world_.pools[p].tops)
      for (const Slot& slot : top.slots) {
        if (slot.spare < 0 || slot.spare_key.empty()) continue;
        const std::string fmri = leaf_fmri(static_cast<int>(p), slot.leaf);
        const Intervention* entry =
            daemon_.reconciler().interventions().find(InterventionKind::spare, fmri);
        if (!entry || entry->key != slot.spare_key)
          violated("table",
                   fmt::format("fmd brought the spare of {} in ({}), and its table {}",
                               world_.leaf_name(slot.leaf), slot.spare_key,
                               entry ? "has another key: " + entry->key : "does not say so"));
        const Leaf& leaf = world_.leafs[static_cast<size_t>(slot.leaf)];
        const bool could = world_.state(slot.leaf) == VdevState::online && leaf.full &&
                           world_.leafs[static_cast<size_t>(slot.spare)].full &&
                           !world_.pools[p].suspended;
        if (could && !wishing(fmri))
          violated(
              "give back",
              fmt::format(
                  "fmd brought the spare of {} in, nobody wishes it any more, and it is still in",
                  world_.leaf_name(slot.leaf)));
      }
}

void Watch::verdict_of_lights() {
  for (size_t i = 0; i < world_.bays.size(); ++i) {
    const Bay& bay = world_.bays[i];
    if (is_database_lost_) verdict_of_adopted_light(static_cast<int>(i));
    if (!bay.known || !bay.fault || bay.fault_by != LitBy::fmd) continue;
    const std::string fmri = bay_fmri(static_cast<int>(i));
    const auto& cases = daemon_.engine().cases();
    const bool wished = std::any_of(cases.begin(), cases.end(), [&](const auto& entry) {
      const Case& c = entry.second;
      return c.open() && c.led &&
             std::any_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
               return s.status == SuspectStatus::faulty && s.bay == fmri && !must_stay(world_, s);
             });
    });
    if (!wished)
      violated("give back",
               fmt::format("fmd lit the fault LED of SLOT {:02}, and no case wishes it", i));
    if (!daemon_.reconciler().interventions().find(InterventionKind::fault_led, fmri))
      violated(
          "table",
          fmt::format("fmd lit the fault LED of SLOT {:02}, and its table does not say so", i));
  }
}

// Whether its case explains why it is not done.
bool Watch::stands(const Intervention& i) const {
  const Case* c = daemon_.engine().find_case(i.owner.name);
  return c && std::any_of(c->actions.begin(), c->actions.end(), [&](const Action& a) {
           return a.part == i.part && a.obstacle != Obstacle::none &&
                  action_name(a.kind) == intervention_name(i.kind);
         });
}

// Each intervention in the table matches the world.
void Watch::verdict_of_table() {
  for (const auto& [id, i] : daemon_.reconciler().interventions().all()) {
    const std::string what = fmt::format("{} of {} ({}, {}, {})", intervention_name(i.kind), i.part,
                                         intervention_state_name(i.state), i.owner.name, i.key);
    const int leaf = leaf_in(i.part), bay = bay_in(i.part);
    if (bay >= 0) {
      const Bay& b = world_.bays[static_cast<size_t>(bay)];
      const bool on = i.kind == InterventionKind::fault_led ? b.fault : b.locate;
      if (i.state == Intervention::State::in_force && !on) violated("table", "it is dark: " + what);
      if (i.state != Intervention::State::in_force && b.led == LedShape::works)
        violated("table", "it is under way after all that time: " + what);
      continue;
    }
    if (leaf < 0) continue;
    const Slot* slot = world_.slot_of(leaf);
    const bool away =
        !slot ||
        world_.pools[static_cast<size_t>(world_.leafs[static_cast<size_t>(leaf)].pool)].suspended;
    if (away) continue;
    const Leaf& l = world_.leafs[static_cast<size_t>(leaf)];
    // A valid intent that is blocked, as its case explains.
    if (i.state == Intervention::State::intended && stands(i)) continue;
    if (i.kind == InterventionKind::retire &&
        (l.retired_by.empty() || (l.retired_by != i.key && l.retired_by != i.level_key)))
      violated("table",
               fmt::format("the vdev is {} and bears {}: {}", state_word(world_.state(leaf)),
                           l.retired_by.empty() ? "no key" : l.retired_by, what));
    if (i.kind == InterventionKind::spare && (slot->spare < 0 || slot->spare_key != i.key))
      violated("table", "no such spare is in: " + what);
    if (i.kind == InterventionKind::replace && slot->newcomer < 0)
      violated("table", "nothing is being replaced: " + what);
  }
}

}  // namespace fmd::histories
