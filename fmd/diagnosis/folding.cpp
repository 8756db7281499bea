#include "fmd/diagnosis/folding.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/diagnosis/suspect_text.h"
#include "fmd/diagnosis/suspects.h"
#include "fmd/model/part_name.h"

namespace fmd {
namespace {

int retire_rank(std::string_view level) {
  return level == "out-of-service" ? 2 : level == "degraded" ? 1 : 0;
}

// The stronger of two policies. Waits stay only where both wait, and it returns only where both let it.
void escalate(RetirePolicy& mine, const RetirePolicy& other) {
  mine.replace_same_bay = mine.replace_same_bay || other.replace_same_bay;
  if (other.first.empty()) {
    mine.spare = mine.spare || other.spare;
    return;
  }
  mine.returns = other.returns && (mine.returns || mine.first.empty());
  if (mine.first.empty()) {
    mine.wait_while = other.wait_while;
    mine.wait_unless = other.wait_unless;
  } else if (other.wait_while.empty()) {
    mine.wait_while.clear();
    mine.wait_unless.clear();
  }
  if (retire_rank(other.first) > retire_rank(mine.first)) mine.first = other.first;
  mine.spare = mine.spare || other.spare;
  if (mine.then.empty()) {
    mine.then = other.then;
    mine.then_after_ns = other.then_after_ns;
    mine.then_grace_ns = other.then_grace_ns;
  } else if (!other.then.empty() && other.then_after_ns < mine.then_after_ns) {
    mine.then_after_ns = other.then_after_ns;
    mine.then_grace_ns = other.then_grace_ns;
  }
}

// Whether another diagnosis is to give the case its texts.
bool speaks_for(const Case& c, const RetirePolicy& retire, std::string_view severity) {
  return retire_rank(retire.first) > retire_rank(c.retire.first) ||
         severity_rank(severity) > severity_rank(c.severity);
}

// The retirement policy of the case after another diagnosis has joined it.
void join(Case& c, const RetirePolicy& retire, bool led, bool information,
          int64_t repair_after_ns) {
  escalate(c.retire, retire);
  c.led = c.led || led;
  c.information = c.information && information;
  // Quiet ends the case only when it would end each of its diagnoses.
  const bool both = c.repair_after_ns > 0 && repair_after_ns > 0;
  c.repair_after_ns = both ? std::max(c.repair_after_ns, repair_after_ns) : 0;
}

template <class T>
void add_missing(std::vector<T>& list, const T& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

Suspect* find_suspect(Case& c, const Suspect& like) {
  const auto at = std::find_if(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
    return s.fault_class == like.fault_class && s.asru == like.asru;
  });
  return at == c.suspects.end() ? nullptr : &*at;
}

}  // namespace

Case* Folding::case_of(const Suspect& suspect, const Case* except) const {
  const std::vector<Case*> cases = same_part_cases(book_, suspect, except);
  const auto first = std::min_element(
      cases.begin(), cases.end(), [](const Case* a, const Case* b) { return is_earlier(*a, *b); });
  return first == cases.end() ? nullptr : *first;
}

// An open case about the part does not cover what the rule would have done when nothing in it can
// be taken out of service: a disk whose SMART data were bad and that then fails must get its spare.
bool Folding::covered(const Rule& rule, const Suspect& suspect, const Case* except) const {
  const auto acts = [&](const Case& c, const Suspect& s) {
    if (rule.fault->retire.first.empty()) return true;
    if (c.retire.first.empty()) return false;
    const Resource* asru = context_.inventory.find(s.asru);
    return s.asru == suspect.asru || (asru && !asru->get("service").empty());
  };
  const std::vector<Case*> cases = same_part_cases(book_, suspect, except);
  return std::any_of(cases.begin(), cases.end(), [&](const Case* c) {
    return std::any_of(c->suspects.begin(), c->suspects.end(), [&](const Suspect& s) {
      return s.status == SuspectStatus::faulty && same_part(s, suspect) && acts(*c, s);
    });
  });
}

// A case with the fault LED lit is one that asks for it, unless it is a Minor one: a worn SSD or a path
// marks its bay, and may do so for months before anybody comes.
const Suspect* Folding::awaiting_exchange(const Suspect& other_than) const {
  const Suspect* out = nullptr;
  int64_t newest = 0;
  for (const Case* c : book_.open_cases()) {
    if (!is_convictable(*c) || !c->led || severity_rank(c->severity) <= severity_rank("Minor") ||
        (out && c->solved_steady_ns < newest))
      continue;
    for (const Suspect& s : c->suspects) {
      const Resource* fru = s.fru.empty() ? nullptr : context_.inventory.find(s.fru);
      if (s.status != SuspectStatus::faulty || !fru || !fru->present || same_part(s, other_than))
        continue;
      out = &s;
      newest = c->solved_steady_ns;
    }
  }
  return out;
}

bool Folding::is_pulled(const Suspect& suspect) const {
  const Resource* fru = suspect.fru.empty() ? nullptr : context_.inventory.find(suspect.fru);
  if (!fru || fru->present) return false;
  const std::vector<Case*> cases = same_part_cases(book_, suspect, nullptr);
  return std::any_of(cases.begin(), cases.end(), [&](const Case* c) {
    return std::any_of(c->suspects.begin(), c->suspects.end(), [&](const Suspect& s) {
      return s.status == SuspectStatus::faulty && s.resource != suspect.resource &&
             same_part(s, suspect);
    });
  });
}

Case& Folding::fold(Case& c, const Rule& rule, Suspect suspect, const Case* held,
                    const std::vector<Evidence>& evidence) {
  for (const Evidence& e : evidence) book_.add_evidence(c, e);
  if (held) move_evidence(*held, c);
  book_.goes_on(c);
  add_missing(c.rules, rule.name);
  fold_suspect(c, rule, std::move(suspect));
  return merge_same(c);
}

void Folding::fold_suspect(Case& c, const Rule& rule, Suspect suspect) {
  const FaultClass& fault = *rule.fault;
  const bool speaks = speaks_for(c, fault.retire, fault.severity);
  join(c, fault.retire, fault.led, fault.information, fault.repair.after_ns);
  Suspect* known = find_suspect(c, suspect);
  if (known && known->status == SuspectStatus::faulty) {
    if (c.acknowledged && rule.kind == RuleKind::growth)
      return grown_again(c, rule, *known, suspect);
    choose_texts(context_, c);  // they may tell all counters
    book_.say(c, "diagnosed",
              fmt::format("rule {} finds {} faulty too", rule.name,
                          name_in_place(context_.inventory, suspect.asru)));
    return;
  }
  if (speaks) c.fault_class = fault.name;
  context_.look_again(suspect);
  const std::string title = fill_text(context_.inventory, suspect, fault.title);
  Suspect* lesser = find_lesser(c, suspect);
  if (known && lesser) {
    *known = std::move(suspect);
    c.suspects.erase(c.suspects.begin() + (lesser - c.suspects.data()));
  } else if (Suspect* place = known ? known : lesser) {
    *place = std::move(suspect);
  } else {
    c.suspects.push_back(std::move(suspect));
  }
  choose_texts(context_, c);
  book_.say(c, "diagnosed", fmt::format("also {}: {} (rule {})", fault.code, title, rule.name));
  if (!rule.while_pulled) book_.tell("updated", c);  // people were asked to pull it
}

// Findings of event rules only, all of which are silent for this fault.
Suspect* Folding::find_lesser(Case& c, const Suspect& graver) const {
  const auto gives_way = [&](const Suspect& s) {
    if (s.status != SuspectStatus::faulty || s.resource != graver.resource) return false;
    bool any = false;
    for (const std::string& name : c.rules) {
      const Rule* rule = context_.rules->find(name);
      if (!rule || rule->fault->name != s.fault_class) continue;
      if (rule->is_condition() || !rule->gives_way_to(graver.fault_class)) return false;
      any = true;
    }
    return any;
  };
  const auto at = std::find_if(c.suspects.begin(), c.suspects.end(), gives_way);
  return at == c.suspects.end() ? nullptr : &*at;
}

// The case was acknowledged, and now it is worse than what was acknowledged.
void Folding::grown_again(Case& c, const Rule& rule, Suspect& known, const Suspect& grown) {
  known.facts = grown.facts;
  c.acknowledged = false;
  render(context_, c);
  const auto fact = [&](std::string_view name) {
    const auto at = grown.facts.find(name);
    return at == grown.facts.end() ? std::string("unknown") : display(at->second);
  };
  book_.say(c, "diagnosed",
            fmt::format("{}: {} has grown from {} to {} since it was acknowledged (rule {})",
                        name_in_place(context_.inventory, known.resource), rule.property,
                        fact("baseline"), fact("value"), rule.name));
  book_.tell("updated", c);
}

void Folding::learn(Case& c) {
  if (!is_convictable(c)) return;
  bool learnt = false;
  for (Suspect& s : c.suspects) {
    if (s.status != SuspectStatus::faulty) continue;
    const std::string bay = s.bay;
    if (!fill_fru(context_, s)) continue;
    learnt = true;
    learn_names(s.facts, context_.inventory, s.resource);
    const std::string where = in_words(s.location);
    if (!bay.empty() && bay != s.bay)
      book_.say(c, "note", fmt::format("the part has moved to {}", where));
    else
      book_.say(c, "note",
                fmt::format("the part to replace is {}, serial {}, in {}",
                            name_of(context_.inventory, s.fru), serial_in_words(s), where));
  }
  if (!learnt) return;
  render(context_, c);
  merge_same(c);
}

// Until no other convictable case is about one of its parts. Returns the case that remains.
Case& Folding::merge_same(Case& c) {
  const auto same_as = [this](const Case& one) -> Case* {
    for (const Suspect& s : one.suspects)
      if (s.status == SuspectStatus::faulty)
        if (Case* other = case_of(s, &one)) return other;
    return nullptr;
  };
  Case* mine = &c;
  while (Case* other = same_as(*mine)) {
    Case* later = other;
    if (is_earlier(*other, *mine)) std::swap(mine, later);
    merge(*mine, *later);
  }
  return *mine;
}

void Folding::merge(Case& earlier, Case& later) {
  const bool disk =
      std::any_of(later.suspects.begin(), later.suspects.end(), [&](const Suspect& s) {
        const Resource* part = context_.inventory.find(s.fru.empty() ? s.resource : s.fru);
        return part && part->type == "disk";
      });
  const std::string why = fmt::format("it is about the same {}", disk ? "disk" : "part");
  move_evidence(later, earlier);
  for (Observation& o : std::vector<Observation>(later.observations))
    earlier.add_observation(std::move(o));
  for (const std::string& rule : later.rules) add_missing(earlier.rules, rule);
  earlier.armed.insert(later.armed.begin(), later.armed.end());
  for (const Action& action : later.actions)
    if (!earlier.find_action(action.kind, action.part)) earlier.set_action(action);
  if (speaks_for(earlier, later.retire, later.severity)) earlier.fault_class = later.fault_class;
  join(earlier, later.retire, later.led, later.information, later.repair_after_ns);
  move_suspects(later, earlier);
  choose_texts(context_, earlier);
  book_.say(earlier, "merged", fmt::format("case {} is merged into this one: {}", later.uuid, why));
  book_.tell("updated", earlier);
  later.merged_into = earlier.uuid;
  later.owed = 0;
  book_.resolve(later, "merged", fmt::format("merged into case {}: {}", earlier.uuid, why));
}

void Folding::move_evidence(const Case& from, Case& to) {
  for (const Evidence& e : from.evidence) book_.add_evidence(to, e);
  to.evidence_count +=
      from.evidence_count - std::min<uint64_t>(from.evidence_count, from.evidence.size());
  book_.goes_on(to);
}

void Folding::move_suspects(Case& from, Case& to) {
  for (Suspect& s : from.suspects) {
    conditions_.hand_over(from.uuid, to.uuid, s.resource);
    context_.look_again(s);
    Suspect* known = find_suspect(to, s);
    if (!known)
      to.suspects.push_back(s);
    else if (known->status != SuspectStatus::faulty)
      *known = s;
    if (s.status == SuspectStatus::faulty) s.status = SuspectStatus::merged;
  }
}

}  // namespace fmd
