#include "fmd/diagnosis/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fmd/base/duration.h"
#include "fmd/base/text.h"
#include "fmd/diagnosis/suspects.h"
#include "fmd/model/part_name.h"

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
  if (found.rule.hold_ns > 0 || awaits_others(found))
    hold(found);
  else
    judge(found, nullptr);
}

void Verdicts::hold(const Found& found) {
  Case& c = open_case(found);
  c.facts = facts_of(found);
  const RuleKey key{found.resource, found.rule.name};
  Hold hold;
  hold.since_ns = context_.now.steady_ns;
  if (!context_.rules->causes_of(found.rule.fault->name).empty())
    hold = about(make_suspect(context_, found.rule, found.resource));
  hold.uuid = c.uuid;
  if (found.rule.hold_ns == 0) return await_others(key, std::move(hold));
  holds_.begin(key, hold, add_times(context_.now.steady_ns, found.rule.hold_ns));
  book_.say(c, "waiting",
            fmt::format("rule {} suspects {}; waits {} before it says so", found.rule.name,
                        name_in_place(context_.inventory, found.resource),
                        format_duration(found.rule.hold_ns)));
}

void Verdicts::finish(const HoldBank::Over& over) {
  const Rule* rule = context_.rules->find(over.key.rule);
  Case* c = book_.find(over.hold.uuid);
  if (!rule || !c) return;
  const Found found{*rule, over.key.resource};
  if (hold_for_gone(found, over, *c)) return;
  // An explanation may have come meanwhile.
  if (over.hold.stage == HoldStage::siblings || awaits_others(found))
    await_others(over.key, over.hold);
  else
    judge(found, c);
}

// Errors of a part that has left are not its fault: it will be reported as pulled.
bool Verdicts::hold_for_gone(const Found& found, const HoldBank::Over& over, Case& c) {
  if (found.rule.hold_gone_ns == 0 || over.hold.stage != HoldStage::rule || over.hold.gone)
    return false;
  const Resource* part =
      context_.inventory.find(make_suspect(context_, found.rule, found.resource).fru);
  if (!part || part->present) return false;
  Hold hold = over.hold;
  hold.gone = true;
  holds_.begin(over.key, hold, add_times(context_.now.steady_ns, found.rule.hold_gone_ns));
  book_.say(c, "waiting",
            fmt::format("{} has left; waits {} to hear whether it was pulled",
                        name_in_place(context_.inventory, part->fmri),
                        format_duration(found.rule.hold_gone_ns)));
  return true;
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

// By the rules about its counters' growth, whether it is enough for them or not; of two that look at
// one counter, over different times, the one that saw more.
std::map<std::string, ConditionBank::Rise> Verdicts::risen_at(const Resource& r) const {
  std::map<std::string, ConditionBank::Rise> counters;
  for (const uint32_t index : context_.rules->for_type(r.type)) {
    const Rule& rule = context_.rules->rules()[index];
    if (rule.kind != RuleKind::growth || rule.counter.empty()) continue;
    const auto rise = conditions_.rise(rule, r.fmri);
    if (!rise) continue;
    const auto [at, is_new] = counters.try_emplace(rule.counter, *rise);
    if (!is_new && rise->from < at->second.from) at->second = *rise;
  }
  return counters;
}

// "interface CRC errors from 3 to 90; at phy-0:3: losses of synchronisation from 2 to 5"
std::string Verdicts::grown_beside(const Found& found) const {
  const std::string disk = make_suspect(context_, found.rule, found.resource).fru;
  std::vector<std::string> parts{disk};
  for (const std::string& leading : context_.paths.to(disk)) parts.push_back(leading);
  std::string all;
  for (const std::string& fmri : parts) {
    const Resource* r = context_.inventory.find(fmri);
    if (!r) continue;
    std::string where = fmri == disk ? "" : fmt::format("at {}: ", name_of(*r));
    for (const auto& [counter, rise] : risen_at(*r))
      all += fmt::format("{}{}{} {}", all.empty() ? "" : "; ", std::exchange(where, ""), counter,
                         rise.words);
  }
  return all.empty() ? "none that fmd sees" : all;
}

Facts Verdicts::facts_of(const Found& found) const {
  Facts facts;
  learn_facts(facts, context_, found.rule, found.resource, found.event);
  const FaultClass& fault = *found.rule.fault;
  if ((fault.description + fault.action).find("{grown}") != std::string::npos)
    facts["grown"] = grown_beside(found);
  if (found.rule.while_pulled) facts[kAsAsked] = "true";
  if (found.rule.is_condition() && context_.new_here.contains(found.resource))
    facts[kFoundSo] = "true";
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
                                    {"limit", measure.limit},
                                    {"from", measure.from},
                                    {"clear", measure.clear}})
    if (!value.empty()) facts[name] = value;
  return facts;
}

Case& Verdicts::open_case(const Found& found) {
  Case& c = book_.open(new_uuid_(), found.resource);
  c.rules = {found.rule.name};
  for (const Evidence& e : found.evidence) book_.add_evidence(c, e);
  return c;
}

// A graver fault is open there, or another case for which this rule is silent.
bool Verdicts::is_silent(const Found& found, const Suspect& suspect, const Case* held) const {
  const Rule& rule = found.rule;
  if (!rule.is_condition() &&  // the engine's look at those knows more
      stands_against(book_, rule.unless_fault, found.resource, OfCases::all))
    return true;
  if (stands_elsewhere(book_, rule.unless_elsewhere, found.resource)) return true;
  return rule.unless_open && folding_.covered(rule, suspect, held);
}

// Rules that are silent for this fault start counting again when it is over.
void Verdicts::reset_lesser(const Rule& graver, const std::string& resource) {
  for (const Rule& rule : context_.rules->rules())
    if (rule.kind == RuleKind::serd && rule.gives_way_to(graver.fault->name))
      serds_.reset(rule.name, resource);
}

void Verdicts::judge(const Found& found, Case* held) {
  const Rule& rule = found.rule;
  Suspect suspect = make_suspect(context_, rule, found.resource);
  if (is_silent(found, suspect, held)) {
    serds_.reset(rule.name, found.resource);
    if (held) book_.discard(*held);
    return;
  }
  suspect.facts = facts_of(found);
  if (held) suspect.facts.insert(held->facts.begin(), held->facts.end());
  const Resource* fru = suspect.fru.empty() ? nullptr : context_.inventory.find(suspect.fru);
  if (fru && !fru->present && !found.rule.while_pulled) suspect.facts[kWasGone] = "true";
  suspect.facts["count"] = fmt::format("{}", held ? held->evidence_count : found.evidence.size());
  const int64_t since = held ? held->opened_ns : context_.now.wall_ns;
  Case* c = folding_.case_of(suspect, held);
  if (c) {
    observe(*c, found, suspect.facts, since);
    c = &folding_.fold(*c, rule, std::move(suspect), held, found.evidence);
    if (held) c->armed.insert(held->armed.begin(), held->armed.end());
    if (held) book_.discard(*held);
  } else {
    c = held ? held : &open_case(found);
    observe(*c, found, suspect.facts, since);
    solve(*c, rule, std::move(suspect));
  }
  if (rule.is_condition()) conditions_.convict({found.resource, rule.name}, c->uuid);
  reset_lesser(rule, found.resource);
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
  c.information = fault.information;
  c.repair_after_ns = rule.over_after_ns > 0 ? rule.over_after_ns : fault.repair.after_ns;
  c.facts.clear();
  context_.look_again(suspect);
  c.suspects.push_back(std::move(suspect));
  also_suspect(c, rule);
  render(context_, c);
  book_.say(c, "diagnosed", fmt::format("{}: {} (rule {})", c.code, c.title, rule.name));
  book_.tell("diagnosed", c);
}

// Certainty about one of two suspects reduces that about the other.
void Verdicts::also_suspect(Case& c, const Rule& rule) {
  const AlsoSuspected& also = rule.fault->also;
  if (!also.follow) return;
  Suspect& first = c.suspects.front();
  const Resource* other = context_.inventory.ascend(first.resource, *also.follow, also.scheme);
  if (!other) return;
  Suspect second = make_suspect(context_, rule, other->fmri);
  second.facts = first.facts;
  learn_names(second.facts, context_.inventory, other->fmri);
  second.certainty = also.certainty;
  first.certainty = std::min(first.certainty, 100 - also.certainty);
  context_.look_again(second);
  c.suspects.push_back(std::move(second));
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
