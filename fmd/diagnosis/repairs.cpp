#include "fmd/diagnosis/repairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fmd/base/duration.h"
#include "fmd/base/text.h"
#include "fmd/diagnosis/suspects.h"
#include "fmd/model/part_name.h"

namespace fmd {
namespace {

using By = CaseBook::By;

SuspectStatus status_of(Judgement judgement) {
  return judgement == Judgement::repaired   ? SuspectStatus::repaired
         : judgement == Judgement::replaced ? SuspectStatus::replaced
                                            : SuspectStatus::acquitted;
}

bool is_called(const Suspect& s, const std::set<std::string>& names) {
  for (const std::string* name :
       {&s.resource, &s.asru, &s.fru, &s.fru_path, &s.bay, &s.location, &s.serial})
    if (!name->empty() && names.count(*name)) return true;
  return false;
}

// A vdev waits for it, or for what takes its place: until then nothing is repaired. Spares and caches
// wait for nothing.
bool is_stood_on(const Inventory& inventory, const std::string& disk) {
  const auto users = inventory.parents(disk, Relation::redundancy);
  return std::any_of(users.begin(), users.end(), [](const Resource* r) {
    return r->present && !r->is("role", "spare") && !r->is("role", "cache");
  });
}

bool any_suspect(const Case& c, const Repairs::Which& which) {
  return std::any_of(c.suspects.begin(), c.suspects.end(), which);
}

}  // namespace

void Repairs::repair(Case& c, SuspectStatus status, const Which& which, std::string_view text,
                     const std::optional<Acquittal>& acquittal) {
  if (c.state == CaseState::unsolved || !c.open()) return;
  bool any = false;
  std::vector<Suspect> acquitted;
  for (Suspect& s : c.suspects) {
    if (s.status != SuspectStatus::faulty || !which(s)) continue;
    any = true;
    if (acquittal) acquitted.push_back(s);
    s.status = status;
    // Its return says nothing about counters, such as how often it was gone.
    const FaultClass* fault = context_.rules->fault(s.fault_class);
    if (fault && fault->retire.returns && status == SuspectStatus::repaired)
      serds_.reset_of_fault(s.fault_class, s.resource);
    else
      serds_.reset(s.resource);
    conditions_.suspect_ended(c, s, acquittal);
    // A replaced part is absent: if it returns, it is as faulty as before.
    const Resource* r = context_.inventory.find(s.resource);
    if ((status != SuspectStatus::replaced || (r && r->present)) && !is_explained(s))
      conditions_.pin(s);
    context_.look_again(s);
    if (status != SuspectStatus::acquitted || acquittal) list_ended_holds(s);
  }
  if (!any) return;
  count_anew(acquitted);
  if (c.faulty()) {
    let_quiet_end(c);
    choose_texts(context_, c);
    book_.say(c, status_name(status), text);
    book_.tell("updated", c);
    return;
  }
  c.state = CaseState::repaired;
  book_.say(c, status_name(status), text);
  book_.tell("repaired", c);
  resolve_if_due(c);
}

void Repairs::list_ended_holds(const Suspect& s) {
  for (const RuleKey& key : holds_.about(s.resource)) {
    const Rule* rule = context_.rules->find(key.rule);
    if (rule && !rule->is_condition() && rule->fault->name == s.fault_class &&
        holds_.find(key)->stage == HoldStage::rule)
      ended_holds_.push_back(key);
  }
}

// The part is not at fault, so the counts of all rules about it start again: several rules may have
// counted the same scrub. Only later events and growth are evidence. States are kept, because they
// do not depend on counts.
void Repairs::count_anew(const std::vector<Suspect>& acquitted) {
  std::set<std::string> parts;
  for (const Suspect& s : acquitted) {
    parts.insert({s.resource, s.asru, s.fru});
    for (const Resource* user : context_.inventory.parents(s.fru, Relation::redundancy))
      parts.insert(user->fmri);
  }
  parts.erase("");
  for (const std::string& part : parts) {
    serds_.reset(part);
    for (const RuleKey& key : holds_.about(part)) {
      const Rule* rule = context_.rules->find(key.rule);
      if (rule && rule->is_of_events() && !is_explained(key)) ended_holds_.push_back(key);
    }
    conditions_.rebase(part, context_.now.steady_ns,
                       [&](const RuleKey& key) { return is_explained(key); });
    context_.recheck.push_back(part);
  }
}

bool Repairs::is_explained(const RuleKey& key) const {
  const Hold* hold = holds_.find(key);
  return hold && hold->stage == HoldStage::explained;
}

void Repairs::drop_ended_holds() {
  for (const RuleKey& key : std::exchange(ended_holds_, {})) verdicts_.cancel_hold(key);
}

// While a state stood in it that only a good value ends, quiet did not (Folding). What is left ends
// as it would have without that: by quiet where each of its diagnoses does, since the last evidence.
void Repairs::let_quiet_end(Case& c) {
  int64_t longest = 0;
  for (const Suspect& s : c.suspects) {
    if (s.status != SuspectStatus::faulty) continue;
    const FaultClass* fault = context_.rules->fault(s.fault_class);
    if (!fault || fault->repair.after_ns == 0) return;
    longest = std::max(longest, fault->repair.after_ns);
  }
  c.repair_after_ns = longest;  // said, and so filed, by who repairs
}

// Its finding goes on as that of another case, which says why.
bool Repairs::is_explained(const Suspect& s) const {
  const std::vector<RuleKey> keys = holds_.about(s.resource);
  return std::any_of(keys.begin(), keys.end(), [&](const RuleKey& key) {
    const Rule* rule = context_.rules->find(key.rule);
    return rule && rule->fault->name == s.fault_class && is_explained(key);
  });
}

void Repairs::by_event(const Event& event) {
  const auto is_met = [&](const Suspect& s) {
    return s.repair_on.is_met_by(event) &&
           (s.resource == event.resource || s.asru == event.resource);
  };
  const auto hold_of = [&](const Case& c) -> std::optional<RuleKey> {
    const std::optional<RuleKey> key = holds_.of_case(c.uuid);
    const Rule* rule = key ? context_.rules->find(key->rule) : nullptr;
    return rule && rule->fault->repair.on.is_met_by(event) ? key : std::nullopt;
  };
  const bool may_repair = book_.any_repaired_by(event.event_class);
  CaseBook::List ends;  // a copy: repairing them changes the index
  for (Case* c : book_.about(event.resource))
    if (c->state == CaseState::unsolved
            ? hold_of(*c).has_value()
            : may_repair && std::any_of(c->suspects.begin(), c->suspects.end(), is_met))
      ends.push_back(c);
  for (Case* c : ends)
    if (c->state == CaseState::unsolved)
      verdicts_.cancel_hold(*hold_of(*c));
    else
      repair(*c, SuspectStatus::repaired, is_met,
             fmt::format("{} on {}", display(event.event_class),
                         name_in_place(context_.inventory, event.resource)));
}

// For what a good value speaks of: evidence of events, and a state rule about that very property.
// The end of other conditions is the engine's look at them.
void Repairs::by_state(const std::string& fmri) {
  const Resource* r = context_.inventory.find(fmri);
  const CaseBook::List about = book_.by(By::resource, fmri);
  if (!r || !r->present) return;
  for (Case* c : about) {
    if (c->state != CaseState::unsolved && !c->faulty()) continue;
    std::vector<const FaultClass*> concluded;  // in the order of the rules
    for (const std::string& name : c->rules)
      if (const Rule* rule = context_.rules->find(name);
          rule && std::find(concluded.begin(), concluded.end(), rule->fault) == concluded.end())
        concluded.push_back(rule->fault);
    for (const FaultClass* fault : concluded)
      if (c->open() && !fault->repair.property.empty()) by_value(*c, *fault, *r);
  }
}

// Armed by the first other value, repaired by the next good one; a state rule about that very
// property was convicted by another value. The other value may come while the verdict is held.
void Repairs::by_value(Case& c, const FaultClass& fault, const Resource& r) {
  const RepairPolicy& policy = fault.repair;
  const auto at = r.properties.find(policy.property);
  if (at == r.properties.end()) return;
  bool of_events = false, convicted_by_it = false;
  for (const std::string& name : c.rules) {
    const Rule* rule = context_.rules->find(name);
    if (!rule || rule->fault != &fault) continue;
    of_events |= !rule->is_condition();
    convicted_by_it |= rule->kind == RuleKind::state && rule->property == policy.property;
  }
  if (!of_events && !convicted_by_it) return;
  const bool good = std::any_of(policy.values.begin(), policy.values.end(),
                                [&](const Value& v) { return equal_values(v, at->second); });
  if (!good && !convicted_by_it && c.armed.insert(fault.name).second) book_.touch(c);
  if (c.state == CaseState::unsolved) {
    if (good && c.armed.erase(fault.name)) book_.touch(c);
    return;
  }
  if (!good || (!convicted_by_it && !c.armed.count(fault.name))) return;
  if (c.armed.erase(fault.name)) book_.touch(c);
  repair(
      c, SuspectStatus::repaired,
      [&](const Suspect& s) { return s.resource == r.fmri && s.fault_class == fault.name; },
      fmt::format("{}: {} is {} again", name_in_place(context_.inventory, r.fmri), policy.property,
                  display(to_text(at->second))));
}

void Repairs::gone(const InventoryChange& change) {
  const bool replaced = change.reason == "replaced";
  const std::string name = name_with_serial(context_.inventory, change.was());
  const std::string text =
      replaced && !change.replaced_by.empty()
          ? fmt::format("{} was replaced by {}", name,
                        name_with_serial(context_.inventory, change.replaced_by))
          : fmt::format("{} was {}", name, display(change.reason));
  verdicts_.cancel_holds_about(change.fmri);
  for (const By by : {By::asru, By::resource}) {
    const CaseBook::List about = book_.by(by, change.fmri);
    for (Case* c : about) {
      if (change.reason == "detached" || change.reason == "destroyed")
        for (Suspect& s : c->suspects)
          if (s.status == SuspectStatus::faulty &&
              (s.asru == change.fmri || s.resource == change.fmri))
            s.facts.emplace(kLeftPool, change.reason);
      repair(
          *c, replaced ? SuspectStatus::replaced : SuspectStatus::repaired,
          [&](const Suspect& s) { return s.asru == change.fmri || s.resource == change.fmri; },
          text);
    }
  }
  if (replaced || change.reason == "detached") let_go(change.was());
  if (replaced) replaced_below(change, text);  // last: what the case is about has its last word
  serds_.reset(change.fmri);
  conditions_.forget(change.fmri);
}

void Repairs::let_go(const Resource& vdev) {
  for (const Edge& edge : vdev.edges) {
    if (edge.relation != Relation::redundancy) continue;
    const CaseBook::List about = book_.by(By::fru, edge.to);
    for (Case* c : about) {
      for (Suspect& s : c->suspects)
        if (s.fru == edge.to) s.facts.insert_or_assign(kLetGo, vdev.get("pool"));
      book_.touch(*c);
    }
  }
}

// The disk under it has been pulled, and another one holds its data now, in whichever bay.
void Repairs::replaced_below(const InventoryChange& change, const std::string& text) {
  for (const Edge& edge : change.was().edges) {
    const Resource* disk = context_.inventory.find(edge.to);
    if (edge.relation != Relation::redundancy || !disk || disk->present ||
        is_stood_on(context_.inventory, edge.to))
      continue;
    const CaseBook::List about = book_.by(By::resource, edge.to);
    for (Case* c : about)
      repair(
          *c, SuspectStatus::replaced, [&](const Suspect& s) { return s.resource == edge.to; },
          text);
  }
}

// The disk now in the last bay of that absent one.
const Resource* Repairs::successor(const Suspect& s) const {
  const Inventory& inventory = context_.inventory;
  const Resource* bay = s.bay.empty() ? nullptr : inventory.find(s.bay);
  const Resource* old = inventory.find(s.resource);
  if (!bay || !bay->present || !s.resource.starts_with("dev://") || (old && old->present) ||
      is_stood_on(inventory, s.resource))
    return nullptr;
  for (const Edge& edge : bay->edges) {
    const Resource* r = edge.relation == Relation::contains ? inventory.find(edge.to) : nullptr;
    if (r && r->present && r->fmri != s.resource && (!old || r->type == old->type)) return r;
  }
  return nullptr;
}

// Its pool works without it, so its removal is the whole repair.
bool Repairs::is_taken_out(const Suspect& s) const {
  const Inventory& inventory = context_.inventory;
  const Resource *disk = inventory.find(s.resource), *bay = inventory.find(s.bay);
  return s.resource == s.fru && s.facts.contains(kLetGo) && !(disk && disk->present) &&
         !(bay && bay->is("occupied", "true")) && !is_stood_on(inventory, s.resource);
}

// The person's part of the repair. Vdevs retired because of it end in their own way.
void Repairs::swapped(Case& c) {
  if (c.state == CaseState::unsolved || !c.open() || !c.faulty()) return;
  const auto out = std::find_if(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
    return s.status == SuspectStatus::faulty && is_taken_out(s);
  });
  if (out != c.suspects.end())
    return repair(
        c, SuspectStatus::replaced, [&](const Suspect& s) { return is_taken_out(s); },
        fmt::format("{} was taken out; its pool no longer used it",
                    name_with_serial(context_.inventory, out->resource)));
  const auto at = std::find_if(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
    return s.status == SuspectStatus::faulty && successor(s);
  });
  if (at == c.suspects.end()) return;
  const std::string text =
      fmt::format("{} was replaced by {}", name_with_serial(context_.inventory, at->resource),
                  name_with_serial(context_.inventory, *successor(*at)));
  repair(
      c, SuspectStatus::replaced, [&](const Suspect& s) { return successor(s) != nullptr; }, text);
}

void Repairs::quiet(Case& c) {
  repair(
      c, SuspectStatus::repaired, [](const Suspect&) { return true; },
      fmt::format("no further errors for {}", format_duration(c.repair_after_ns)));
  ended_holds_.clear();  // an error that waits is news, which quiet does not end
}

// A part without the word `service` was never taken out of it.
void Repairs::resolve_if_due(Case& c) {
  if (c.state != CaseState::repaired || c.owed > 0) return;
  for (const Suspect& s : c.suspects) {
    const Resource* r = context_.inventory.find(s.asru);
    if (!r || !r->present) continue;
    const std::string service = r->get("service");
    const bool stays = r->is("service_until", "boot");  // cannot be restored before
    if (!service.empty() && service != "in-service" && service != "removed" && !stays) return;
  }
  book_.resolve(c, "resolved", "no part of it is faulty or out of service any more");
}

// Isolated: all that the policy wishes and all that was begun is done.
void Repairs::isolate_if_due(Case& c) {
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
  book_.say(c, "closed", "all that could be done about it has been done; it waits for the repair");
}

// --- a person's word

// All that the part may be called in a suspect: itself, what the inventory finds by that name, what
// a bay holds.
std::set<std::string> Repairs::names_of(std::string_view part) const {
  std::set<std::string> names;
  if (part.empty()) return names;
  names.emplace(part);
  for (const Resource* r : context_.inventory.lookup(part)) {
    names.insert(r->fmri);
    if (r->type != "bay") continue;
    for (const Edge& edge : r->edges)
      if (edge.relation == Relation::contains) names.insert(edge.to);
  }
  return names;
}

Result<CaseBook::List> Repairs::judged_cases(std::string_view uuid, std::string_view part,
                                             const std::set<std::string>& names) {
  CaseBook::List out;
  if (!uuid.empty()) {
    Case* c = book_.find(uuid);
    if (!c)
      return fail(fmt::format("there is no case {}; 'fmadm faulty -a' lists them", display(uuid)));
    if (!c->open()) return fail(fmt::format("case {} is resolved already", c->uuid));
    if (c->state != CaseState::unsolved && !c->faulty())
      return fail(fmt::format("no part in case {} is faulty any more", c->uuid));
    out.push_back(c);
    if (part.empty()) return out;
  } else {
    if (part.empty()) return fail("say which case (uuid) or which part is meant");
    out = book_.open_cases();
  }
  std::erase_if(out, [&](const Case* c) {
    return !any_suspect(*c, [&](const Suspect& s) {
      return s.status == SuspectStatus::faulty && is_called(s, names);
    });
  });
  if (!out.empty()) return out;
  if (uuid.empty())
    return fail(
        fmt::format("no open case is about {}; 'fmadm faulty' lists the cases", display(part)));
  return fail(
      fmt::format("case {} has no faulty part \"{}\": name it by FMRI, bay label or serial as "
                  "'fmadm faulty' does",
                  display(uuid), display(part)));
}

// A person keeps the old disk of a case whose part was replaced: messages no longer name it
// (fmd/advice/old_disk.h).
std::vector<std::string> Repairs::keep_old(std::string_view uuid, std::string_view part,
                                           const std::set<std::string>& names,
                                           std::string_view who) {
  std::vector<std::string> uuids;
  for (const auto& [id, known] : book_.all()) {
    if ((!uuid.empty() && id != uuid) || known.faulty()) continue;
    bool any = false;
    Case& c = *book_.find(id);
    for (Suspect& s : c.suspects) {
      const Resource* fru = context_.inventory.find(s.fru);
      const bool left = s.status == SuspectStatus::replaced ||
                        (s.status == SuspectStatus::repaired && s.facts.contains(kLeftPool));
      if (!left || !fru || fru->type != "disk" || !fru->present) continue;
      if (!part.empty() && !names.contains(s.fru)) continue;
      s.status = SuspectStatus::acquitted;
      any = true;
    }
    if (!any) continue;
    book_.say(c, "acquitted",
              fmt::format("acquitted by {}: the old disk stays where it is", display(who)));
    uuids.push_back(id);
  }
  return uuids;
}

Result<std::vector<std::string>> Repairs::judge(Judgement judgement, std::string_view uuid,
                                                std::string_view part, std::string_view who) {
  const std::set<std::string> names = names_of(part);
  const Result<CaseBook::List> judged = judged_cases(uuid, part, names);
  if (!judged && judgement == Judgement::acquitted && !(uuid.empty() && part.empty()))
    if (auto kept = keep_old(uuid, part, names, who); !kept.empty()) return kept;
  if (!judged) return tl::unexpected(judged.error());
  std::optional<Acquittal> acquittal;
  if (judgement == Judgement::acquitted)
    acquittal = Acquittal{std::string(who), context_.now.wall_ns};
  const SuspectStatus status = status_of(judgement);
  std::vector<std::string> uuids;
  for (Case* c : *judged) {
    uuids.push_back(c->uuid);
    if (c->state == CaseState::unsolved) {
      const std::optional<RuleKey> key = holds_.of_case(c->uuid);
      if (!key) continue;
      const Rule* rule = context_.rules->find(key->rule);
      if (acquittal && rule) count_anew({make_suspect(context_, *rule, key->resource)});
      conditions_.pin(*key);
      context_.recheck.push_back(key->resource);
      verdicts_.cancel_hold(*key);
      if (acquittal) conditions_.acquit(*key, *acquittal);
      continue;
    }
    repair(
        *c, status, [&](const Suspect& s) { return part.empty() || is_called(s, names); },
        status == SuspectStatus::repaired
            ? fmt::format("{}{}", kRepairedBy, display(who))
            : fmt::format("{} by {}", status_name(status), display(who)),
        acquittal);
  }
  return uuids;
}

Result<std::vector<Suspect>> Repairs::meant_by(std::string_view uuid, std::string_view part) {
  const std::set<std::string> names = names_of(part);
  const Result<CaseBook::List> judged = judged_cases(uuid, part, names);
  if (!judged) return tl::unexpected(judged.error());
  std::vector<Suspect> out;
  for (const Case* c : *judged)
    for (const Suspect& s : c->suspects)
      if (s.status == SuspectStatus::faulty && (part.empty() || is_called(s, names)))
        out.push_back(s);
  return out;
}

}  // namespace fmd
