// Verdicts: who is suspected of what, folded into an open case about the same part or in a case of
// its own.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/diagnosis/engine_impl.h"

namespace fmd {
namespace {

int retire_rank(std::string_view level) {
  return level == "out-of-service" ? 2 : level == "degraded" ? 1 : 0;
}

// The stronger of two policies. Waits stay only where both wait.
void escalate(RetirePolicy& mine, const RetirePolicy& other) {
  if (other.first.empty()) {
    mine.spare = mine.spare || other.spare;
    return;
  }
  if (mine.first.empty()) {
    mine.wait_while = other.wait_while;
    mine.wait_unless = other.wait_unless;
  } else if (other.wait_while.empty()) {
    mine.wait_while.clear();
    mine.wait_unless.clear();
  }
  if (retire_rank(other.first) > retire_rank(mine.first)) mine.first = other.first;
  mine.spare = mine.spare || other.spare;
  if (mine.then.empty()) mine.then = other.then;
  mine.replace_same_bay = mine.replace_same_bay || other.replace_same_bay;
}

template <class T>
void add_missing(std::vector<T>& list, const T& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

// Two suspicions of one part: what is disabled, what is broken or what is to be replaced is the
// same, or one's broken part is what the other would have replaced (SMART's disk, ZFS's vdev on
// it).
bool same_part(const Suspect& a, const Suspect& b) {
  return a.asru == b.asru || a.resource == b.resource || a.resource == b.fru ||
         a.fru == b.resource || (!a.fru.empty() && a.fru == b.fru);
}

bool convictable(const Case& c) {
  return c.state == CaseState::solved || c.state == CaseState::close_wait ||
         c.state == CaseState::closed;
}

}  // namespace

Suspect Engine::Impl::make_suspect(const Rule& rule, const std::string& resource) const {
  Suspect s;
  s.fault_class = rule.fault->name;
  s.certainty = rule.certainty;
  s.resource = resource;
  s.asru = resource;
  s.repair_on = rule.fault->repair.on;
  // A device is itself what is replaced, unless the fault says otherwise.
  if (!rule.fault->fru.follow && resource.starts_with("dev://")) s.fru = resource;
  fill_fru(s);
  return s;
}

// Rules with unless_open look at what else is open about the same ASRU or FRU.
void Engine::Impl::recheck_covered(const Suspect& suspect) {
  std::vector<std::string> open{suspect.resource, suspect.fru};
  std::set<std::string> seen{""};
  while (!open.empty()) {
    const std::string fmri = std::move(open.back());
    open.pop_back();
    if (!seen.insert(fmri).second) continue;
    recheck.push_back(fmri);
    for (const Resource* whole : inventory.parents(fmri, Relation::redundancy))
      open.push_back(whole->fmri);
  }
}

// An open case with a faulty suspect of the same part.
Case* Engine::Impl::overlapping(const Suspect& suspect, const Case* except) {
  for (auto& [uuid, c] : cases) {
    if (&c == except || !convictable(c)) continue;
    for (const Suspect& s : c.suspects)
      if (s.status == SuspectStatus::faulty && same_part(s, suspect)) return &c;
  }
  return nullptr;
}

// Whether a rule with unless_open has to keep silent. An open case about the part does not cover
// what the rule would have done when nothing in it can be taken out of service: a disk whose SMART
// data were bad and that then fails must get its spare.
bool Engine::Impl::covered(const Rule& rule, const Suspect& suspect, const Case* except) const {
  const auto acts = [&](const Case& c, const Suspect& s) {
    if (rule.fault->retire.first.empty() || s.asru == suspect.asru) return true;
    const Resource* asru = inventory.find(s.asru);
    return !c.retire.first.empty() && asru && !asru->get("service").empty();
  };
  return std::any_of(cases.begin(), cases.end(), [&](const auto& entry) {
    const Case& c = entry.second;
    return &c != except && convictable(c) &&
           std::any_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
             return s.status == SuspectStatus::faulty && same_part(s, suspect) && acts(c, s);
           });
  });
}

Case& Engine::Impl::open_case(const Rule& rule, const std::string& resource,
                              const std::vector<Evidence>& evidence, const Event* event) {
  std::string uuid = new_uuid();
  Case& c = cases[uuid];
  c.uuid = std::move(uuid);
  c.opened_ns = now.wall_ns;
  c.rules = {rule.name};
  c.last_evidence_ns = now.steady_ns;
  dirty_evidence.insert(c.uuid);
  for (const Evidence& e : evidence) add_evidence(c, e);
  learn_facts(c.facts, rule, resource, event);
  attach(c, resource);
  touch(c);
  return c;
}

Case* Engine::Impl::verdict(const Rule& rule, const std::string& resource,
                            const std::vector<Evidence>& evidence, const Event* event, Case* held) {
  Suspect suspect = make_suspect(rule, resource);
  if (rule.unless_open && covered(rule, suspect, held)) {
    reset_slot(rule.name, resource);
    if (held) discard(*held);
    return nullptr;
  }
  if (held) suspect.facts = held->facts;
  learn_facts(suspect.facts, rule, resource, event);
  suspect.facts["count"] = fmt::format("{}", held ? held->evidence_count : evidence.size());
  const int64_t since = held ? held->opened_ns : now.wall_ns;
  if (Case* open = overlapping(suspect, held)) {
    observe(*open, rule, resource, suspect.facts, since);
    fold(*open, rule, std::move(suspect), held, evidence);
    if (held) discard(*held);
    return open;
  }
  Case& c = held ? *held : open_case(rule, resource, evidence, event);
  observe(c, rule, resource, suspect.facts, since);
  solve(c, rule, std::move(suspect));
  return &c;
}

void Engine::Impl::solve(Case& c, const Rule& rule, Suspect suspect) {
  c.state = CaseState::solved;
  c.solved_ns = now.wall_ns;
  c.solved_steady_ns = now.steady_ns;
  c.rules = {rule.name};
  c.fault_class = rule.fault->name;
  c.retire = rule.fault->retire;
  c.led = rule.fault->led;
  c.repair_after_ns = rule.fault->repair.after_ns;
  if (c.repair_after_ns > 0) timed.insert(c.uuid);
  c.facts.clear();
  attach(c, suspect.resource);
  recheck_covered(suspect);
  c.suspects.push_back(std::move(suspect));
  render(c);
  say(c, "diagnosed",
      fmt::format("{}: {} (rule {})", c.code, c.title.empty() ? c.fault_class : c.title,
                  rule.name));
  tell("diagnosed", c);
}

void Engine::Impl::fold(Case& c, const Rule& rule, Suspect suspect, const Case* held,
                        const std::vector<Evidence>& evidence) {
  for (const Evidence& e : evidence) add_evidence(c, e);
  if (held)
    for (const Evidence& e : held->evidence) add_evidence(c, e);
  c.last_evidence_ns = now.steady_ns;
  dirty_evidence.insert(c.uuid);
  add_missing(c.rules, rule.name);
  const FaultClass& fault = *rule.fault;
  const bool stronger = retire_rank(fault.retire.first) > retire_rank(c.retire.first);
  escalate(c.retire, fault.retire);
  c.led = c.led || fault.led;
  // Quiet ends the case only when it would end each of its diagnoses.
  const bool both = c.repair_after_ns > 0 && fault.repair.after_ns > 0;
  c.repair_after_ns = both ? std::max(c.repair_after_ns, fault.repair.after_ns) : 0;
  if (c.repair_after_ns == 0) timed.erase(c.uuid);
  const auto known = std::find_if(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
    return s.fault_class == suspect.fault_class && s.asru == suspect.asru;
  });
  if (known != c.suspects.end() && known->status == SuspectStatus::faulty) {
    if (c.acknowledged && rule.kind == RuleKind::growth)
      return grown_again(c, rule, *known, suspect);
    say(c, "diagnosed",
        fmt::format("rule {} finds {} faulty too", rule.name, name_of(suspect.asru)));
    return;
  }
  add_suspect(c, rule, std::move(suspect), stronger);
}

// Somebody has acknowledged the case, and now it is worse than what they knew of.
void Engine::Impl::grown_again(Case& c, const Rule& rule, Suspect& known, const Suspect& grown) {
  known.facts = grown.facts;
  c.acknowledged = false;
  render(c);
  const auto fact = [&](std::string_view name) {
    const auto at = grown.facts.find(name);
    return at == grown.facts.end() ? std::string("unknown") : display(at->second);
  };
  say(c, "diagnosed",
      fmt::format("{}: {} has grown from {} to {} since it was acknowledged (rule {})",
                  name_of(known.resource), rule.property, fact("baseline"), fact("value"),
                  rule.name));
  tell("updated", c);
}

void Engine::Impl::add_suspect(Case& c, const Rule& rule, Suspect suspect, bool stronger) {
  const FaultClass& fault = *rule.fault;
  if (stronger || severity_rank(fault.severity) > severity_rank(c.severity))
    c.fault_class = fault.name;
  attach(c, suspect.resource);
  recheck_covered(suspect);
  const std::string title = fill_text(suspect, fault.title);
  const auto known = std::find_if(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
    return s.fault_class == suspect.fault_class && s.asru == suspect.asru;
  });
  if (known != c.suspects.end())
    *known = std::move(suspect);
  else
    c.suspects.push_back(std::move(suspect));
  choose_texts(c);
  say(c, "diagnosed", fmt::format("also {}: {} (rule {})", fault.code, title, rule.name));
  tell("updated", c);
}

void Engine::Impl::attach(Case& c, const std::string& resource) {
  add_missing(parts[resource].cases, &c);
  add_missing(about[c.uuid], resource);
}

void Engine::Impl::detach(Case& c) {
  if (const auto at = about.find(c.uuid); at != about.end()) {
    for (const std::string& resource : at->second)
      if (Part* part = find_part(resource)) std::erase(part->cases, &c);
    about.erase(at);
  }
  timed.erase(c.uuid);
}

void Engine::Impl::discard(Case& c) {
  detach(c);
  dirty_cases.insert(c.uuid);
  dirty_evidence.insert(c.uuid);
  cases.erase(cases.find(c.uuid));
}

}  // namespace fmd
