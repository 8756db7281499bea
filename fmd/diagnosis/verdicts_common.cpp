// Verdicts: findings that may have a cause in common.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/duration.h"
#include "fmd/base/text.h"
#include "fmd/diagnosis/about.h"
#include "fmd/diagnosis/suspects.h"
#include "fmd/diagnosis/verdicts.h"
#include "fmd/model/part_name.h"

namespace fmd {
namespace {

constexpr int64_t kSecond = 1'000'000'000, kDay = 86'400 * kSecond;
constexpr int64_t kAcquittedFor = kDay;  // by a person; afterwards failures are judged again
constexpr size_t kNamed = 8;             // parts in a text
constexpr size_t kMostHigher = 2;        // suspects: a chain of bridges is no help to anybody

bool is_among(const std::vector<std::string>& faults, std::string_view fault) {
  return std::find(faults.begin(), faults.end(), fault) != faults.end();
}

bool concerns(const Rule& common, const Rule& rule) {
  return common.names(rule.fault->name) || is_among(common.explains, rule.fault->name);
}

// All supplies of a machine are called by the machine's name.
std::string bay_or_name(const Inventory& inventory, const std::string& part) {
  if (const Resource* r = inventory.find(part); r && r->type == "power")
    for (const Resource* machine : inventory.parents(part, Relation::contains))
      return name_of(*machine);
  const std::string label = inventory.location(part);
  return label.empty() ? name_in_place(inventory, part) : display(label);
}

// Nothing can change the verdict any more: everything below fails, and nothing beside it. While failures are still
// coming in, the first of several chained expanders would look like the cause. Two at once may be
// a person pulling two disks, until each bay is known to be filled or empty.
bool is_complete(const Rule& common, const CommonCause& found) {
  return found.count == found.below && found.elsewhere_failing == 0 && found.count > common.count;
}

}  // namespace

std::string share_of(const Rule& common, const CommonCause& found) {
  return common.in_common.empty() ? fmt::format("{} of {}", found.count, found.below)
                                  : fmt::format("{}", found.count);
}

const Rule* common_rule(const RuleSet& rules, const Case& c) {
  for (const std::string& name : c.rules)
    if (const Rule* rule = rules.find(name); rule && rule->kind == RuleKind::common) return rule;
  return nullptr;
}

Hold Verdicts::about(const Suspect& suspect) const {
  About what = fmd::about(context_, suspect);
  Hold hold;
  hold.since_ns = context_.now.steady_ns;
  hold.part = std::move(what.part);
  hold.ways = std::move(what.ways);
  return hold;
}

bool Verdicts::has_others(const Rule& common, const std::string& part) const {
  const std::shared_ptr<Hanging> hanging = accusations_.hanging(common);
  const Hanging::Ids& above = hanging->above(hanging->part(part));
  return std::any_of(above.begin(), above.end(),
                     [&](Hanging::Id one) { return hanging->below(one).size() >= common.count; });
}

// What the rule keeps silent about accuses nobody; what is about a part that stands accused of such already
// belongs to that case, and what a person has done as asked to none but that.
bool Verdicts::awaits_others(const Found& found) {
  const std::vector<const Rule*>& commons = context_.rules->common_of(found.rule.fault->name);
  if (commons.empty() || found.rule.while_pulled) return false;
  const Suspect suspect = make_suspect(context_, found.rule, found.resource);
  if (is_silent(found, suspect, nullptr)) return false;
  if (const Case* c = folding_.case_of(suspect, nullptr))
    for (const Suspect& known : c->suspects)
      if (known.status == SuspectStatus::faulty && same_part(known, suspect) &&
          std::any_of(commons.begin(), commons.end(),
                      [&](const Rule* common) { return common->names(known.fault_class); }))
        return false;
  const Hold hold = about(suspect);
  return std::any_of(commons.begin(), commons.end(), [&](const Rule* common) {
    if (common->names(found.rule.fault->name) && has_others(*common, hold.part)) return true;
    const Topology topology(context_.inventory, context_.paths, *common);
    return cause_above(*common, topology, hold) != nullptr;
  });
}

bool Verdicts::explained(const RuleKey& key, const Hold& hold) {
  const Rule& rule = *context_.rules->find(key.rule);
  for (const Rule* common : context_.rules->common_of(rule.fault->name)) {
    const Topology topology(context_.inventory, context_.paths, *common);
    if (Case* cause = cause_above(*common, topology, hold)) {
      explain(key, *cause);
      return true;
    }
    if (common->names(rule.fault->name) && accuse(*common, hold)) return true;
  }
  return false;
}

// An open case that accuses one of these of one of these faults.
template <class IsMeant>
Case* Verdicts::open_against(const std::vector<std::string>& resources, IsMeant is_meant) const {
  for (const std::string& one : resources)
    for (Case* c : book_.by(CaseBook::By::resource, one))
      if (is_convictable(*c) &&
          std::any_of(c->suspects.begin(), c->suspects.end(), [&](const Suspect& s) {
            return s.resource == one && s.status == SuspectStatus::faulty &&
                   is_meant(*c, s.fault_class);
          }))
        return c;
  return nullptr;
}

Case* Verdicts::cause_above(const Rule& common, const Topology& topology, const Hold& hold) const {
  if (Case* c = open_against(
          topology.above_over(hold.part, hold.ways), [&](const Case& of, const std::string& fault) {
            return fault == common.fault->name && is_among(of.rules, common.name);
          }))
    return c;
  if (Case* c = open_against(
          upstream_of(common, hold.part),
          [&](const Case&, const std::string& fault) { return is_among(common.upstream, fault); }))
    return c;
  if (Case* c = cause_of_upstream(common, hold)) return c;
  return cause_of_whole(common, hold.part);
}

std::multimap<std::string, Verdicts::Exonerated> Verdicts::convicted(const Rule& common,
                                                                     int64_t since_ns) const {
  std::multimap<std::string, Exonerated> out;
  for (const std::string& uuid : accusations_.convicting(common))
    if (const Case* c = book_.find(uuid))
      for (Conviction& one : convictions_in(context_, common, *c))
        if (is_near(one.time_ns, since_ns, Accusations::within(common, one)))
          out.emplace(
              std::move(one.part),
              Exonerated{
                  uuid, std::move(one.resource), std::move(one.fault), std::move(one.rule), {}});
  return out;
}

bool Verdicts::is_accused_by(const Rule& common, const RuleKey& key, int64_t since_ns) const {
  const Rule* rule = context_.rules->find(key.rule);
  const Case* c = book_.find(holds_.find(key)->uuid);
  return rule && common.names(rule->fault->name) && !(c && c->facts.contains(kFoundSo)) &&
         is_near(holds_.find(key)->since_ns, since_ns, common.within_ns);
}

// The parts with such a finding at about that time, whether it waits, is explained or was judged.
Crowd& Verdicts::accused(const Rule& common, const Hold& hold) const {
  if (!common.recurs()) return accusations_.at(common, hold.since_ns, Accusations::With::findings);
  return together_.emplace(accused_together(common, hold.part));
}

bool Verdicts::is_acquitted(const Rule& common, const std::string& part) const {
  const ConditionBank::Condition* judged = conditions_.find({part, common.name});
  return judged && judged->acquittal &&
         context_.now.wall_ns - judged->acquittal->time_ns < kAcquittedFor;
}

bool Verdicts::accuse(const Rule& common, const Hold& hold) {
  if (context_.now.steady_ns < add_times(hold.since_ns, common.hold_ns)) return false;
  auto found = common.recurs()
                   ? recurring_cause(common, hold)
                   : common_cause(context_.inventory, accused(common, hold), common, hold.part);
  return found && blame(common, std::move(*found), hold);
}

// Not with each question: they may be very many.
void Verdicts::name_all(const Rule& common, CommonCause& found, const Hold& hold) const {
  if (found.failing.empty()) name_failing(found, accused(common, hold));
}

bool Verdicts::blame(const Rule& common, CommonCause found, const Hold& hold) {
  if (std::any_of(found.lowest.begin(), found.lowest.end(),
                  [&](const std::string& one) { return is_acquitted(common, one); }))
    return false;
  if (hold.stage == HoldStage::rule && !is_complete(common, found)) return false;
  if (common.settle_ns > 0) {
    name_all(common, found, hold);
    if (settled_at(common, found, hold) > context_.now.steady_ns) return false;
  }
  if (is_premature(common, found, hold)) return false;
  name_all(common, found, hold);
  Case& cause = open_cause(common, found, hold);
  for (const std::string& part : found.failing) {
    const std::set<RuleKey> keys = holds_.about_part(part);
    for (const RuleKey& key : keys)
      if (const Rule* rule = context_.rules->find(key.rule); rule && concerns(common, *rule))
        explain(key, cause);
  }
  for (const auto& [part, one] : convicted(common, hold.since_ns))
    if (std::binary_search(found.failing.begin(), found.failing.end(), part)) {
      exonerated_.push_back(one);
      exonerated_.back().cause = cause.uuid;
    }
  return true;
}

void Verdicts::explain_again(const Exonerated& one) {
  const Rule* rule = context_.rules->find(one.rule);
  Case* cause = book_.find(one.cause);
  const Case* was = book_.find(one.uuid);
  const RuleKey key{one.resource, one.rule};
  if (!rule || !cause || !was || holds_.waits(key)) return;
  const std::vector<Evidence> evidence(was->evidence.begin(), was->evidence.end());
  Case& c = open_case({*rule, one.resource, evidence});
  c.facts = facts_of({*rule, one.resource});
  Hold hold = about(make_suspect(context_, *rule, one.resource));
  hold.uuid = c.uuid;
  hold.stage = HoldStage::siblings;
  holds_.begin(key, hold, context_.now.steady_ns);
  explain(key, *cause);
}

void Verdicts::explain(const RuleKey& key, Case& cause) {
  holds_.explain(key, cause.uuid);
  Case* c = book_.find(holds_.find(key)->uuid);
  const Rule* rule = context_.rules->find(key.rule);
  if (!c || !rule || c->explained_by == cause.uuid) return;
  c->explained_by = cause.uuid;
  for (const Evidence& e : c->evidence) book_.add_evidence(cause, e);
  // The end of a hold has explained it. Replaying the journal after a restart would not do that again.
  if (!c->evidence.empty()) book_.goes_on(cause);
  observe(cause, {*rule, key.resource}, c->facts, c->opened_ns);
  if (severity_rank(rule->fault->severity) > severity_rank(cause.severity)) weigh(cause);
  book_.say(*c, "explained", fmt::format("explained by case {}: {}", cause.uuid, cause.title));
}

// For each failing part: when it was first found; in order.
std::vector<int64_t> Verdicts::times_of(const Rule& common, const CommonCause& found,
                                        int64_t since_ns) const {
  std::vector<int64_t> out = accusations_.firsts(common, since_ns, found.failing);
  std::sort(out.begin(), out.end());
  return out;
}

int64_t Verdicts::span_of(const Rule& common, const CommonCause& found, int64_t since_ns) const {
  if (found.failing.empty()) return accusations_.span(common, since_ns, found.lowest.front());
  const std::vector<int64_t> times = times_of(common, found, since_ns);
  return times.empty() ? 0 : times.back() - times.front();
}

std::string Verdicts::span_in_words(const Rule& common, const CommonCause& found,
                                    int64_t since_ns) const {
  const int64_t span_ns = span_of(common, found, since_ns);
  return span_ns < kSecond ? "a second" : format_duration(span_ns / kSecond * kSecond);
}

// "Disk returns wrong data (3), Disk fails reads or writes (1)": the findings with their numbers of
// parts.
std::string Verdicts::findings_of(const Rule& common, const CommonCause& found,
                                  int64_t since_ns) const {
  std::map<std::string, std::set<std::string>> parts;
  const auto add = [&](const std::string& part, const std::string& resource,
                       const std::string& name) {
    if (const Rule* rule = context_.rules->find(name))
      parts[fill_text(context_.inventory, make_suspect(context_, *rule, resource),
                      rule->fault->title)]
          .insert(part);
  };
  for (const std::string& part : found.failing)
    for (const RuleKey& key : holds_.about_part(part))
      if (is_accused_by(common, key, since_ns)) add(part, key.resource, key.rule);
  for (const auto& [part, one] : convicted(common, since_ns))
    if (std::binary_search(found.failing.begin(), found.failing.end(), part))
      add(part, one.resource, one.rule);
  std::string out;
  for (const auto& [title, of] : parts)
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", title, of.size());
  return out;
}

Facts Verdicts::facts_of(const Rule& common, const CommonCause& found, int64_t since_ns) const {
  Facts facts;
  learn_facts(facts, context_, common, found.lowest.front(), nullptr);
  facts["count"] = fmt::format("{}", found.count);
  facts["failing"] = share_of(common, found);
  facts["elsewhere"] =
      found.elsewhere == 0 ? "there are no others"
      : found.elsewhere_failing == 0
          ? fmt::format("of {} elsewhere none did", found.elsewhere)
          : fmt::format("of {} elsewhere {} did", found.elsewhere, found.elsewhere_failing);
  if (!common.in_common.empty()) {  // its other parts are unknown
    facts["name"] = "the " + common.in_common;
    facts.erase("elsewhere");
  }
  facts["repeated"] = "";
  facts["found"] = findings_of(common, found, since_ns);
  facts["span"] = span_in_words(common, found, since_ns);
  std::string& parts = facts["parts"];
  for (size_t i = 0; i < std::min(found.failing.size(), kNamed); ++i)
    parts += (parts.empty() ? "" : ", ") + bay_or_name(context_.inventory, found.failing[i]);
  if (found.failing.size() > kNamed)
    parts += fmt::format(" and {} more", found.failing.size() - kNamed);
  return facts;
}

// An ancestor with the same parts below and an ongoing fault of its own; otherwise the lowest.
std::string Verdicts::accused_part(const Rule& common, const CommonCause& found) const {
  std::vector<std::string> alike = found.lowest;
  alike.insert(alike.end(), found.higher.begin(), found.higher.end());
  const auto goes_on = [&](const Case& c, const std::string& fault) {
    return is_among(common.links, fault) &&
           is_near(c.last_evidence_ns, context_.now.steady_ns, common.links_within_ns);
  };
  for (const std::string& one : alike)
    if (open_against({one}, goes_on)) return one;
  return found.lowest.front();
}

// Ancestors with exactly the same parts below share the rule's certainty; those above share the
// rest.
Case& Verdicts::open_cause(const Rule& common, const CommonCause& found, const Hold& hold) {
  const std::string first = accused_part(common, found);
  Suspect suspect = make_suspect(context_, common, first);
  suspect.facts = facts_of(common, found, hold.since_ns);
  if (common.recurs())
    suspect.facts["repeated"] = fmt::format(", {} times", recurrence_of(common, hold).times);
  Case* c = folding_.case_of(suspect, nullptr);
  if (c) return folding_.fold(*c, common, std::move(suspect), nullptr, {});
  const size_t higher = std::min(found.higher.size(), kMostHigher);
  const int certainty = (higher ? common.certainty : 100) / static_cast<int>(found.lowest.size());
  suspect.certainty = certainty;
  Case& opened = book_.open(new_uuid_(), hold.part);
  const Facts facts = suspect.facts;
  solve(opened, common, std::move(suspect));
  const auto add = [&](const std::string& resource, int percent) {
    if (resource == first) return;
    Suspect other = make_suspect(context_, common, resource);
    other.certainty = percent;
    other.facts = facts;
    learn_names(other.facts, context_.inventory, resource);
    opened.suspects.push_back(std::move(other));
  };
  for (const std::string& one : found.lowest) add(one, certainty);
  for (size_t i = 0; i < higher; ++i)
    add(found.higher[i], (100 - common.certainty) / static_cast<int>(higher));
  book_.touch(opened);
  return opened;
}

// --- the end of a cause

bool Verdicts::explains_too_few(const Case& cause) const {
  return std::none_of(cause.rules.begin(), cause.rules.end(), [&](const std::string& name) {
    const Rule* rule = context_.rules->find(name);
    if (!rule || rule->kind != RuleKind::common) return false;
    // What comes and goes fails no more once it is there; of some of it too little is known for a finding.
    const uint64_t enough = rule->recurs() ? 1 : rule->count;
    std::set<std::string> parts;
    for (const RuleKey& key : holds_.explained_by(cause.uuid)) {
      if (const Rule* of = context_.rules->find(key.rule); of && rule->names(of->fault->name))
        parts.insert(holds_.find(key)->part);
      if (parts.size() >= enough) break;  // there may be very many
    }
    return parts.size() >= enough;
  });
}

bool Verdicts::explains_a_state(const Case& cause) const {
  const std::set<RuleKey>& keys = holds_.explained_by(cause.uuid);
  return std::any_of(keys.begin(), keys.end(), [&](const RuleKey& key) {
    const Rule* rule = context_.rules->find(key.rule);
    return rule && rule->is_condition() &&
           rule->kind != RuleKind::growth;  // growth is over once it rests
  });
}

void Verdicts::release(const std::string& cause, Release how) {
  const std::set<RuleKey> keys = holds_.explained_by(cause);
  for (const RuleKey& key : keys) {
    const Rule* rule = context_.rules->find(key.rule);
    Hold hold = *holds_.find(key);
    Case* c = book_.find(hold.uuid);
    const std::vector<const Rule*> commons =
        rule ? context_.rules->common_of(rule->fault->name) : std::vector<const Rule*>();
    // A report about a whole shelf is not repeated by its disks.
    const Resource* about = context_.inventory.find(hold.part);
    const bool accuses = std::any_of(commons.begin(), commons.end(), [&](const Rule* common) {
      return common->names(rule->fault->name) || (about && !common->compares(about->type));
    });
    if (!rule || !c || how == Release::forget || (how == Release::wait_again && !accuses)) {
      if (how == Release::forget) conditions_.pin(key);  // this growth is known; only more is news
      cancel_hold(key);
      context_.recheck.push_back(key.resource);
      continue;
    }
    c->explained_by.clear();
    hold.cause.clear();
    if (how == Release::judge) {
      holds_.end(key);
      judge({*rule, key.resource}, c);
      continue;
    }
    int64_t wait = 0;
    for (const Rule* common : commons) wait = std::max(wait, common->within_ns);
    hold.stage = HoldStage::siblings;
    holds_.begin(key, std::move(hold), add_times(context_.now.steady_ns, wait));
    book_.say(*c, "waiting",
              fmt::format("case {} does not explain it any more; waits {} before it says so", cause,
                          format_duration(wait)));
  }
}

void Verdicts::hand_over(const std::string& cause, const std::string& to) {
  const std::set<RuleKey> keys = holds_.explained_by(cause);
  Case* c = book_.find(to);
  for (const RuleKey& key : keys)
    if (c)
      explain(key, *c);
    else
      cancel_hold(key);
}

}  // namespace fmd
