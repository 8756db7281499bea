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

constexpr size_t kSeveral = 2;
constexpr size_t kNamed = 8;                    // parts in a text
constexpr int64_t kLatelyNs = 600 * kSecondNs;  // a bad link still makes trouble
constexpr int64_t kReturn = 60 * kSecondNs;
constexpr int64_t kLaterReturn = 300 * kSecondNs;  // of other parts: disks cool slowly
constexpr size_t kMostHigher = 2;  // suspects: a chain of bridges is no help to anybody

bool is_among(const std::vector<std::string>& faults, std::string_view fault) {
  return std::find(faults.begin(), faults.end(), fault) != faults.end();
}

// All supplies of a machine are called by the machine's name.
std::string bay_or_name(const Inventory& inventory, const std::string& part) {
  if (const Resource* r = inventory.find(part); r && r->type == "power")
    for (const Resource* machine : inventory.parents(part, Relation::contains))
      return name_of(*machine);
  const std::string label = inventory.location(part);
  return label.empty() ? name_in_place(inventory, part) : display(label);
}

}  // namespace

std::string share_of(const Rule& common, const CommonCause& found) {
  return common.in_common.empty() ? fmt::format("{} of {}", found.failing.size(), found.below)
                                  : fmt::format("{}", found.failing.size());
}

const Rule* cause_rule(const RuleSet& rules, const Case& c) {
  for (const std::string& name : c.rules)
    if (const Rule* rule = rules.find(name); rule && rule->kind == RuleKind::cause) return rule;
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

// The odds compare only disks with a known path (along); all disks share the machine.
bool Verdicts::has_others(const Rule& common, const std::string& part) const {
  if (common.is_of_disks() && !common.in_common.empty()) return false;
  const Topology topology(context_.inventory, context_.paths, common);
  const std::vector<std::string> above = topology.above(part);
  if (common.is_of_disks()) return !above.empty();
  return std::any_of(above.begin(), above.end(), [&](const std::string& one) {
    return topology.below(one, common.part_types).size() > 1;
  });
}

// What the rule keeps silent about accuses nobody; what is about a part that stands accused of such already
// belongs to that case, and what a person has done as asked to none but that.
bool Verdicts::awaits_others(const Found& found) {
  const std::vector<const Rule*>& commons = context_.rules->causes_of(found.rule.fault->name);
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
  for (const Rule* common : context_.rules->causes_of(rule.fault->name)) {
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
Case* Verdicts::open_against(const std::vector<std::string>& resources,
                             const IsMeant& is_meant) const {
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

// Faults of the case that the rule compares.
std::vector<std::pair<std::string, Verdicts::Exonerated>> Verdicts::convictions_in(
    const Rule& common, const Case& c) const {
  std::vector<std::pair<std::string, Exonerated>> out;
  if (!is_convictable(c)) return out;
  for (const Suspect& s : c.suspects) {
    if (s.status != SuspectStatus::faulty || !common.names(s.fault_class) ||
        s.facts.contains(kFoundSo))
      continue;
    for (const std::string& name : c.rules)
      if (const Rule* rule = context_.rules->find(name);
          rule && rule->fault->name == s.fault_class) {
        out.emplace_back(fmd::about(context_, s).part,
                         Exonerated{c.uuid, s.resource, s.fault_class, rule->name, {}});
        break;
      }
  }
  return out;
}

std::multimap<std::string, Verdicts::Exonerated> Verdicts::convicted(const Rule& common) const {
  std::multimap<std::string, Exonerated> out;
  for (const Case* c : book_.open_cases())
    for (auto& [part, one] : convictions_in(common, *c)) out.emplace(part, std::move(one));
  return out;
}

bool Verdicts::is_accused_by(const Rule& common, const RuleKey& key) const {
  const Rule* rule = context_.rules->find(key.rule);
  const Case* c = book_.find(holds_.find(key)->uuid);
  return rule && common.names(rule->fault->name) && !(c && c->facts.contains(kFoundSo));
}

// The parts with such a finding, whether it waits, is explained or was judged.
Accused Verdicts::accused(const Rule& common, int64_t since_ns) const {
  Accused out;
  const auto add = [&](const std::string& part, int64_t time_ns) {
    if (common.within_ns > 0 && !is_near(time_ns, since_ns, common.within_ns)) return;
    const auto [at, is_new] = out.try_emplace(part, time_ns);
    if (!is_new) at->second = std::min(at->second, time_ns);
  };
  for (const auto& [key, hold] : holds_.all())
    if (is_accused_by(common, key)) add(hold.part, hold.since_ns);
  for (const auto& [part, one] : convicted(common))
    add(part, book_.find(one.uuid)->solved_steady_ns);
  return out;
}

bool Verdicts::is_acquitted(const Rule& common, const std::string& part) const {
  return conditions_.is_acquitted({part, common.name}, context_.now.wall_ns);
}

std::optional<CommonCause> Verdicts::cause_in_common(const Rule& common, const Hold& hold) const {
  return common_cause(context_.inventory, Topology(context_.inventory, context_.paths, common),
                      common, accused(common, hold.since_ns), hold.part, context_.now.steady_ns);
}

bool Verdicts::accuse(const Rule& common, const Hold& hold) {
  if (common.is_of_disks() || context_.now.steady_ns < add_times(hold.since_ns, common.hold_ns))
    return false;
  const auto found = cause_in_common(common, hold);
  if (!found || settled_at(common, *found, hold) > context_.now.steady_ns ||
      std::any_of(found->lowest.begin(), found->lowest.end(),
                  [&](const std::string& one) { return is_acquitted(common, one); }))
    return false;
  Case& cause = open_cause(common, *found, hold, facts_of(common, *found, hold.since_ns));
  for (const std::string& part : found->failing) {
    const std::set<RuleKey> keys = holds_.about_part(part);
    for (const RuleKey& key : keys)
      if (const Rule* rule = context_.rules->find(key.rule);
          rule && common.concerns(rule->fault->name))
        explain(key, cause);
  }
  for (const auto& [part, one] : convicted(common))
    if (std::binary_search(found->failing.begin(), found->failing.end(), part)) {
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
  std::vector<int64_t> out;
  for (const auto& [part, time_ns] : accused(common, since_ns))
    if (std::binary_search(found.failing.begin(), found.failing.end(), part))
      out.push_back(time_ns);
  std::sort(out.begin(), out.end());
  return out;
}

std::string Verdicts::span_in_words(const Rule& common, const CommonCause& found,
                                    int64_t since_ns) const {
  const std::vector<int64_t> times = times_of(common, found, since_ns);
  return span_words(times.empty() ? 0 : times.back() - times.front());
}

std::string Verdicts::findings_of(const Rule& common, const CommonCause& found) const {
  std::vector<Finding> findings;
  for (const std::string& part : found.failing)
    for (const RuleKey& key : holds_.about_part(part))
      if (is_accused_by(common, key)) findings.push_back({part, key.resource, key.rule});
  for (const auto& [part, one] : convicted(common))
    if (std::binary_search(found.failing.begin(), found.failing.end(), part))
      findings.push_back({part, one.resource, one.rule});
  return numbered_titles(findings);
}

// "Disk returns wrong data (3), Disk fails reads or writes (1)", with the numbers of parts.
std::string Verdicts::numbered_titles(const std::vector<Finding>& findings) const {
  std::map<std::string, std::set<std::string>> parts;
  for (const Finding& one : findings)
    if (const Rule* rule = context_.rules->find(one.rule))
      parts[fill_text(context_.inventory, make_suspect(context_, *rule, one.resource),
                      rule->fault->title)]
          .insert(one.part);
  std::string out;
  for (const auto& [title, of] : parts)
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", title, of.size());
  return out;
}

Facts Verdicts::facts_of(const Rule& common, const CommonCause& found, int64_t since_ns) const {
  Facts facts;
  learn_facts(facts, context_, common, found.lowest.front(), nullptr);
  facts["count"] = fmt::format("{}", found.failing.size());
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
  facts["found"] = findings_of(common, found);
  facts[kLeast] = fmt::format("{}", std::max<size_t>(kSeveral, (found.failing.size() + 2) / 3));
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
           is_near(c.last_evidence_ns, context_.now.steady_ns, kLatelyNs);
  };
  for (const std::string& one : alike)
    if (open_against({one}, goes_on)) return one;
  return found.lowest.front();
}

// Ancestors with exactly the same parts below share the rule's certainty; those above share the
// rest.
Case& Verdicts::open_cause(const Rule& common, const CommonCause& found, const Hold& hold,
                           const Facts& facts) {
  const std::string first = accused_part(common, found);
  Suspect suspect = make_suspect(context_, common, first);
  suspect.facts = facts;
  Case* c = folding_.case_of(suspect, nullptr);
  if (c) return folding_.fold(*c, common, std::move(suspect), nullptr, {});
  const size_t higher = std::min(found.higher.size(), kMostHigher);
  const int certainty = (higher ? common.certainty : 100) / static_cast<int>(found.lowest.size());
  suspect.certainty = certainty;
  Case& opened = book_.open(new_uuid_(), hold.part);
  const Facts told = suspect.facts;
  solve(opened, common, std::move(suspect));
  const auto add = [&](const std::string& resource, int percent) {
    if (resource == first) return;
    Suspect other = make_suspect(context_, common, resource);
    other.certainty = percent;
    other.facts = told;
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

uint64_t Verdicts::least_of(const Case& cause) {
  for (const Suspect& s : cause.suspects)
    if (const auto at = s.facts.find(kLeast); at != s.facts.end())
      return std::strtoul(at->second.c_str(), nullptr, 10);
  return kSeveral;
}

bool Verdicts::explains_too_few(const Case& cause) const {
  const uint64_t least = least_of(cause);
  return std::none_of(cause.rules.begin(), cause.rules.end(), [&](const std::string& name) {
    const Rule* rule = context_.rules->find(name);
    if (!rule || rule->kind != RuleKind::cause) return false;
    std::set<std::string> parts;
    for (const RuleKey& key : holds_.explained_by(cause.uuid)) {
      const Rule* of = context_.rules->find(key.rule);
      if (of && counts(*rule, *of->fault)) parts.insert(holds_.find(key)->part);
      if (parts.size() >= least) break;  // there may be very many
    }
    return parts.size() >= least;
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
  const Case* over = book_.find(cause);
  const Rule* common = over ? cause_rule(*context_.rules, *over) : nullptr;
  for (const RuleKey& key : keys) {
    const Rule* rule = context_.rules->find(key.rule);
    Hold hold = *holds_.find(key);
    Case* c = book_.find(hold.uuid);
    const std::vector<const Rule*> commons =
        rule ? context_.rules->causes_of(rule->fault->name) : std::vector<const Rule*>();
    // A report about a whole shelf is not repeated by its disks.
    const Resource* about = context_.inventory.find(hold.part);
    const bool accuses = std::any_of(commons.begin(), commons.end(), [&](const Rule* one) {
      return one->names(rule->fault->name) || (about && !one->compares(about->type));
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
    const int64_t wait = common && about && !common->compares(about->type) ? kLaterReturn : kReturn;
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
