#include "fmd/diagnosis/verdicts.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/duration.h"
#include "fmd/base/text.h"
#include "fmd/diagnosis/suspects.h"

namespace fmd {
namespace {

bool has_convicted(const Case& c, const Rule& rule, const std::string& resource) {
  return c.state != CaseState::unsolved &&
         std::find(c.rules.begin(), c.rules.end(), rule.name) != c.rules.end() &&
         std::any_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
           return s.resource == resource && s.fault_class == rule.fault->name &&
                  s.status == SuspectStatus::faulty;
         });
}

}  // namespace

void Verdicts::conclude(const Found& found) {
  if (holds_.waits({found.resource, found.rule.name})) return;  // counted as evidence already
  // A condition is convicted as long as the bank says so; it may have grown since.
  if (!found.rule.is_condition())
    for (const Case* c : book_.by(CaseBook::By::resource, found.resource))
      if (has_convicted(*c, found.rule, found.resource)) return;
  if (found.rule.hold_ns > 0)
    hold(found);
  else
    judge(found, nullptr);
}

void Verdicts::hold(const Found& found) {
  Case& c = open_case(found);
  c.facts = facts_of(found);
  holds_.begin({found.resource, found.rule.name}, c.uuid,
               add_times(context_.now.steady_ns, found.rule.hold_ns));
  book_.say(c, "waiting",
            fmt::format("rule {} suspects {}; waits {} before it says so", found.rule.name,
                        name_of(context_.inventory, found.resource),
                        format_duration(found.rule.hold_ns)));
}

void Verdicts::finish(const HoldBank::Over& over) {
  const Rule* rule = context_.rules->find(over.key.rule);
  Case* c = book_.find(over.uuid);
  if (rule && c) judge({*rule, over.key.resource}, c);
}

void Verdicts::cancel_hold(const RuleKey& key) {
  const std::optional<std::string> uuid = holds_.end(key);
  if (!uuid) return;
  serds_.reset(key.rule, key.resource);
  if (Case* c = book_.find(*uuid); c && c->state == CaseState::unsolved) book_.discard(*c);
}

void Verdicts::cancel_holds_about(std::string_view resource) {
  for (const RuleKey& key : holds_.about(resource)) cancel_hold(key);
}

Facts Verdicts::facts_of(const Found& found) const {
  Facts facts;
  learn_facts(facts, context_, found.rule, found.resource, found.event);
  if (found.rule.while_exchange)
    if (const Suspect* meant =
            folding_.awaiting_exchange(make_suspect(context_, found.rule, found.resource)))
      facts["meant"] =
          fmt::format("the {} in {}, serial {}", meant->fru.starts_with("dev://") ? "disk" : "part",
                      in_words(meant->location), serial_in_words(*meant));
  const Resource* r = found.rule.is_condition() ? context_.inventory.find(found.resource) : nullptr;
  if (!r) return facts;
  const ConditionBank::Measure measure = conditions_.measure(found.rule, *r);
  for (const auto& [name, value] : {std::pair("value", measure.value),
                                    {"baseline", measure.baseline},
                                    {"limit", measure.limit}})
    if (!value.empty()) facts[name] = value;
  return facts;
}

Case& Verdicts::open_case(const Found& found) {
  Case& c = book_.open(new_uuid_(), found.resource);
  c.rules = {found.rule.name};
  for (const Evidence& e : found.evidence) book_.add_evidence(c, e);
  return c;
}

void Verdicts::judge(const Found& found, Case* held) {
  const Rule& rule = found.rule;
  Suspect suspect = make_suspect(context_, rule, found.resource);
  if (rule.unless_open && folding_.covered(rule, suspect, held)) {
    serds_.reset(rule.name, found.resource);
    if (held) book_.discard(*held);
    return;
  }
  suspect.facts = facts_of(found);
  if (held) suspect.facts.insert(held->facts.begin(), held->facts.end());
  suspect.facts["count"] = fmt::format("{}", held ? held->evidence_count : found.evidence.size());
  const int64_t since = held ? held->opened_ns : context_.now.wall_ns;
  Case* c = folding_.case_of(suspect, held);
  if (c) {
    observe(*c, found, suspect.facts, since);
    c = &folding_.fold(*c, rule, std::move(suspect), held, found.evidence);
    if (held) book_.discard(*held);
  } else {
    c = held ? held : &open_case(found);
    observe(*c, found, suspect.facts, since);
    solve(*c, rule, std::move(suspect));
  }
  if (rule.is_condition()) conditions_.convict({found.resource, rule.name}, c->uuid);
}

void Verdicts::solve(Case& c, const Rule& rule, Suspect suspect) {
  const FaultClass& fault = *rule.fault;
  c.state = CaseState::solved;
  c.solved_ns = context_.now.wall_ns;
  c.solved_steady_ns = context_.now.steady_ns;
  c.rules = {rule.name};
  c.fault_class = fault.name;
  c.retire = fault.retire;
  c.led = fault.led;
  c.repair_after_ns = fault.repair.after_ns;
  c.facts.clear();
  context_.look_again(suspect);
  c.suspects.push_back(std::move(suspect));
  render(context_, c);
  book_.say(c, "diagnosed", fmt::format("{}: {} (rule {})", c.code, c.title, rule.name));
  book_.tell("diagnosed", c);
}

// The case's evidence, where no events are it.
void Verdicts::observe(Case& c, const Found& found, const Facts& facts, int64_t since_ns) {
  if (!found.rule.is_condition()) return;
  const auto fact = [&](std::string_view name) {
    const auto at = facts.find(name);
    return at == facts.end() ? std::string() : at->second;
  };
  c.add_observation({context_.now.wall_ns, since_ns, found.rule.name, found.resource,
                     found.rule.property, fact("value"), fact("limit"), fact("baseline")});
  book_.touch(c);
}

}  // namespace fmd
