// The other half of a case's life: isolated, repaired, judged, resolved.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/diagnosis/engine_impl.h"

namespace fmd {
namespace {

std::string_view word(Engine::Verdict verdict) {
  return verdict == Engine::Verdict::repaired   ? "repaired"
         : verdict == Engine::Verdict::replaced ? "replaced"
                                                : "acquitted";
}

SuspectStatus status_of(Engine::Verdict verdict) {
  return verdict == Engine::Verdict::repaired   ? SuspectStatus::repaired
         : verdict == Engine::Verdict::replaced ? SuspectStatus::replaced
                                                : SuspectStatus::acquitted;
}

bool is_called(const Suspect& s, const std::set<std::string>& names) {
  for (const std::string* name :
       {&s.resource, &s.asru, &s.fru, &s.fru_path, &s.bay, &s.location, &s.serial})
    if (!name->empty() && names.count(*name)) return true;
  return false;
}

}  // namespace

bool Engine::Impl::repair_suspects(Case& c, SuspectStatus status,
                                   const std::function<bool(const Suspect&)>& which,
                                   std::string_view text) {
  if (c.state == CaseState::unsolved || !c.open()) return false;
  bool any = false;
  for (Suspect& s : c.suspects) {
    if (s.status != SuspectStatus::faulty || !which(s)) continue;
    any = true;
    s.status = status;
    reset_slots(s.resource);
    // A condition that holds still is looked at anew after a repair; an acquitted one is known to
    // be harmless.
    for (auto at = conditions.begin(); at != conditions.end();) {
      const bool mine = at->second == c.uuid && at->first.second == s.resource &&
                        status != SuspectStatus::acquitted;
      if (mine) dirty_conditions.insert(at->first);
      at = mine ? conditions.erase(at) : std::next(at);
    }
    // One that was replaced by another is not there: should it come back it is as bad as it was.
    const Resource* r = inventory.find(s.resource);
    if (status != SuspectStatus::replaced || (r && r->present)) pin_growth(s);
    recheck_covered(s);
  }
  if (!any) return false;
  say(c, status_name(status), text);
  if (c.faulty()) {
    choose_texts(c);
    tell("updated", c);
    return true;
  }
  c.state = CaseState::repaired;
  timed.erase(c.uuid);
  tell("repaired", c);
  resolve_if_due(c);
  return true;
}

void Engine::Impl::repair_by_event(const Event& event) {
  const Part* part = find_part(event.resource);
  if (!part) return;
  const std::vector<Case*> about_it = part->cases;
  for (Case* c : about_it) {
    if (c->state == CaseState::unsolved) {
      for (const std::string& name : std::vector<std::string>(c->rules)) {
        const Rule* rule = rules->find(name);
        if (!rule || !rule->fault->repair.on.is_met_by(event)) continue;
        cancel_hold({name, event.resource});
        break;  // the case is gone
      }
      continue;
    }
    repair_suspects(
        *c, SuspectStatus::repaired,
        [&](const Suspect& s) {
          return (s.resource == event.resource || s.asru == event.resource) &&
                 s.repair_on.is_met_by(event);
        },
        fmt::format("{} on {}", display(event.event_class), name_of(event.resource)));
  }
}

// Faults that a good value of a property ends, for what that value speaks of: evidence of events,
// and a state rule about that very property. The end of other conditions is check_condition's.
void Engine::Impl::repair_by_state(const std::string& fmri) {
  const Resource* r = inventory.find(fmri);
  const Part* part = find_part(fmri);
  if (!r || !r->present || !part) return;
  const std::vector<Case*> about_it = part->cases;
  for (Case* c : about_it) {
    if (c->state == CaseState::unsolved || !c->faulty()) continue;
    std::vector<const FaultClass*> concluded;  // in the order of the rules
    for (const std::string& name : c->rules)
      if (const Rule* rule = rules->find(name);
          rule && std::find(concluded.begin(), concluded.end(), rule->fault) == concluded.end())
        concluded.push_back(rule->fault);
    for (const FaultClass* fault : concluded)
      if (!fault->repair.property.empty()) repair_by_value(*c, *fault, *r);
  }
}

// Armed by the first other value, repaired by the next good one; a state rule about that very
// property was convicted by another value.
void Engine::Impl::repair_by_value(Case& c, const FaultClass& fault, const Resource& r) {
  const RepairPolicy& repair = fault.repair;
  const auto at = r.properties.find(repair.property);
  if (at == r.properties.end()) return;
  bool of_events = false, convicted_by_it = false;
  for (const std::string& name : c.rules) {
    const Rule* rule = rules->find(name);
    if (!rule || rule->fault != &fault) continue;
    of_events |= !rule->is_condition();
    convicted_by_it |= rule->kind == RuleKind::state && rule->property == repair.property;
  }
  if (!of_events && !convicted_by_it) return;
  const bool good = std::any_of(repair.values.begin(), repair.values.end(),
                                [&](const Value& v) { return equal_values(v, at->second); });
  if (!good && !convicted_by_it && c.armed.insert(fault.name).second) touch(c);
  if (!good || (!convicted_by_it && !c.armed.count(fault.name))) return;
  c.armed.erase(fault.name);
  repair_suspects(
      c, SuspectStatus::repaired,
      [&](const Suspect& s) { return s.resource == r.fmri && s.fault_class == fault.name; },
      fmt::format("{}: {} is {} again", name_of(r.fmri), repair.property,
                  display(to_text(at->second))));
}

// A resource is no more (not merely pulled): what was wrong with it is over.
void Engine::Impl::gone(const InventoryChange& change) {
  const bool replaced = change.reason == "replaced";
  const std::string name = name_of(change.was);
  const std::string text =
      replaced && !change.replaced_by.empty()
          ? fmt::format("{} was replaced by {}", name, name_of(change.replaced_by))
          : fmt::format("{} was {}", name, display(change.reason));
  cancel_holds_on(change.fmri);
  std::vector<Case*> open;
  for (auto& [uuid, c] : cases)
    if (c.open()) open.push_back(&c);
  for (Case* c : open)
    repair_suspects(
        *c, replaced ? SuspectStatus::replaced : SuspectStatus::repaired,
        [&](const Suspect& s) { return s.asru == change.fmri || s.resource == change.fmri; }, text);
  reset_slots(change.fmri);
  forget_conditions(change.fmri);
}

// A disk that was pulled and whose bay holds another one now has been replaced: the person's part
// of the repair. What was retired because of it (a vdev) ends in its own way.
void Engine::Impl::repair_swapped() {
  const auto successor = [this](const Suspect& s) -> const Resource* {
    const Resource* bay = s.bay.empty() ? nullptr : inventory.find(s.bay);
    const Resource* old = inventory.find(s.resource);
    if (!bay || !bay->present || !s.resource.starts_with("dev://") || (old && old->present))
      return nullptr;
    for (const Edge& edge : bay->edges) {
      const Resource* r = edge.relation == Relation::contains ? inventory.find(edge.to) : nullptr;
      if (r && r->present && r->fmri != s.resource && (!old || r->type == old->type)) return r;
    }
    return nullptr;
  };
  for (auto& [uuid, c] : cases) {
    if (c.state == CaseState::unsolved || !c.faulty()) continue;
    const auto swapped = std::find_if(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
      return s.status == SuspectStatus::faulty && successor(s);
    });
    if (swapped == c.suspects.end()) continue;
    const std::string text = fmt::format("{} was replaced by {}", name_of(swapped->resource),
                                         name_of(successor(*swapped)->fmri));
    repair_suspects(
        c, SuspectStatus::replaced, [&](const Suspect& s) { return successor(s) != nullptr; },
        text);
  }
}

// Resolved when nothing is owed and no suspect's ASRU is out of service and present. A part without
// the word `service` was never taken out of it.
void Engine::Impl::resolve_if_due(Case& c) {
  if (c.state != CaseState::repaired || c.owed > 0) return;
  for (const Suspect& s : c.suspects) {
    const Resource* r = inventory.find(s.asru);
    if (!r || !r->present) continue;
    const std::string service = r->get("service");
    if (!service.empty() && service != "in-service" && service != "removed") return;
  }
  c.state = CaseState::resolved;
  c.resolved_ns = now.wall_ns;
  say(c, "resolved", "no part of it is faulty or out of service any more");
  tell("resolved", c);
  detach(c);
}

// Isolated: all that the policy wishes and all that was begun is done.
void Engine::Impl::isolate_if_due(Case& c) {
  if (c.state != CaseState::solved && c.state != CaseState::close_wait) return;
  const auto done = [&](ActionKind kind) {  // the part may be the second suspect's
    return std::any_of(c.actions.begin(), c.actions.end(), [&](const Action& a) {
      return a.kind == kind && a.state == ActionState::done;
    });
  };
  const bool isolated = done(ActionKind::retire) || done(ActionKind::out_of_service);
  bool all =
      !c.actions.empty() && std::all_of(c.actions.begin(), c.actions.end(), [](const Action& a) {
        return a.state == ActionState::done || a.state == ActionState::returned;
      });
  all = all && (c.retire.first.empty() || done(ActionKind::retire));
  all = all && (!c.retire.spare || done(ActionKind::spare));
  all = all && (c.retire.then.empty() || c.retire.first == c.retire.then ||
                done(ActionKind::out_of_service));
  if (all || isolated) c.state = CaseState::close_wait;
  if (!all) return;
  c.state = CaseState::closed;
  say(c, "closed", "all that could be done about it has been done; it waits for the repair");
}

// All that the part may be called in a suspect: itself, what the inventory finds by that name, what
// a bay holds.
std::set<std::string> Engine::Impl::names_of(std::string_view part) const {
  std::set<std::string> names;
  if (part.empty()) return names;
  names.emplace(part);
  for (const Resource* r : inventory.lookup(part)) {
    names.insert(r->fmri);
    if (r->type != "bay") continue;
    for (const Edge& edge : r->edges)
      if (edge.relation == Relation::contains) names.insert(edge.to);
  }
  return names;
}

Result<std::vector<Case*>> Engine::Impl::judged_cases(std::string_view uuid, std::string_view part,
                                                      const std::set<std::string>& names) {
  std::vector<Case*> out;
  if (!uuid.empty()) {
    const auto at = cases.find(uuid);
    if (at == cases.end())
      return fail(fmt::format("there is no case {}; 'fmadm faulty -a' lists them", display(uuid)));
    if (!at->second.open())
      return fail(fmt::format("case {} is resolved already", at->second.uuid));
    if (at->second.state != CaseState::unsolved && !at->second.faulty())
      return fail(fmt::format("no part in case {} is faulty any more", at->second.uuid));
    out.push_back(&at->second);
    if (part.empty()) return out;
  } else {
    if (part.empty()) return fail("say which case (uuid) or which part is meant");
    for (auto& [id, c] : cases)
      if (c.open()) out.push_back(&c);
  }
  std::erase_if(out, [&](const Case* c) {
    return std::none_of(c->suspects.begin(), c->suspects.end(), [&](const Suspect& s) {
      return s.status == SuspectStatus::faulty && is_called(s, names);
    });
  });
  if (!out.empty()) return out;
  return fail(
      fmt::format("no {} has the faulty part \"{}\": name it by FMRI, bay label or serial as "
                  "'fmadm faulty' does",
                  uuid.empty() ? "open case" : "suspect of that case", display(part)));
}

Result<std::vector<std::string>> Engine::judge(Verdict verdict, std::string_view uuid,
                                               std::string_view part, std::string_view who,
                                               Moment now) {
  const Impl::Call call(*impl_, now);
  const std::set<std::string> names = impl_->names_of(part);
  const Result<std::vector<Case*>> judged = impl_->judged_cases(uuid, part, names);
  if (!judged) return tl::unexpected(judged.error());
  std::vector<std::string> uuids;
  for (Case* c : *judged) {
    uuids.push_back(c->uuid);
    if (c->state == CaseState::unsolved) {
      std::vector<Impl::Key> keys;
      for (const auto& [key, hold] : impl_->holds)
        if (hold.uuid == c->uuid) keys.push_back(key);
      for (const Impl::Key& key : keys) {
        impl_->pin_growth(key);
        impl_->cancel_hold(key);
      }
      continue;
    }
    impl_->repair_suspects(
        *c, status_of(verdict),
        [&](const Suspect& s) { return part.empty() || is_called(s, names); },
        fmt::format("{} by {}", word(verdict), display(who)));
  }
  return uuids;
}

Result<void> Engine::acknowledge(std::string_view uuid, std::string_view who,
                                 std::string_view comment, Moment now) {
  const Impl::Call call(*impl_, now);
  const auto at = impl_->cases.find(uuid);
  if (at == impl_->cases.end())
    return fail(fmt::format("there is no case {}; 'fmadm faulty -a' lists them", display(uuid)));
  Case& c = at->second;
  if (!c.open()) return fail(fmt::format("case {} is resolved already", c.uuid));
  c.acknowledged = true;
  c.acknowledged_by = who;
  c.acknowledged_count = c.evidence_count;
  for (const Suspect& s : c.suspects)
    if (s.status == SuspectStatus::faulty) impl_->pin_growth(s);
  std::string text = fmt::format("acknowledged by {}", display(who));
  if (!comment.empty()) text += ": " + display(comment, 1000);
  impl_->say(c, "acknowledged", text);
  return {};
}

}  // namespace fmd
