// Verdicts: shared parts that the odds accuse (veto.h). Their disks may have failed hours apart and
// then have cases already, which the new case supersedes.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/moment.h"
#include "fmd/diagnosis/about.h"
#include "fmd/diagnosis/fault_evidence.h"
#include "fmd/diagnosis/suspects.h"
#include "fmd/diagnosis/verdicts.h"
#include "fmd/model/fmri.h"

namespace fmd {
namespace {

constexpr int64_t kSoon = 120'000'000'000;

// Three disks that return wrong data at once are no coincidence (docs/dev/decisions/blame.md).
size_t fewest(const SharedCause& cause) {
  return cause.way == blame::Way::data ? 3 : 2;
}

}  // namespace

// Findings of a case about a disk that the shared part would explain.
std::vector<Verdicts::Exonerated> Verdicts::convictions_of(const Rule& common,
                                                           const std::string& uuid) const {
  std::vector<Exonerated> out;
  const Case* c = book_.find(uuid);
  if (!c || !is_convictable(*c)) return out;
  for (const Suspect& s : c->suspects) {
    if (s.status != SuspectStatus::faulty || !common.concerns(s.fault_class)) continue;
    for (const std::string& name : c->rules)
      if (const Rule* rule = context_.rules->find(name);
          rule && rule->fault && rule->fault->name == s.fault_class) {
        out.push_back({uuid, s.resource, s.fault_class, name, {}});
        break;
      }
  }
  return out;
}

// Findings about the disk that wait, or that the same rule explains already.
std::vector<RuleKey> Verdicts::waiting_about(const Rule& common, const std::string& disk) const {
  std::vector<RuleKey> out;
  for (const RuleKey& key : holds_.about_part(disk)) {
    const Rule* rule = context_.rules->find(key.rule);
    if (!rule || !common.concerns(rule->fault->name)) continue;
    const std::string& known = holds_.find(key)->cause;
    const Case* cause = known.empty() ? nullptr : book_.find(known);
    if (known.empty() || (cause && cause_rule(*context_.rules, *cause) == &common))
      out.push_back(key);
  }
  return out;
}

Verdicts::Effects Verdicts::effects_of(const Rule& common, const SharedCause& cause) const {
  Effects out;
  const auto add = [&](const std::string& part, const std::string& resource,
                       const std::string& rule) {
    out.parts.insert(part);
    out.findings.push_back({part, resource, rule});
  };
  for (const std::string& disk : cause.disks)
    for (RuleKey& key : waiting_about(common, disk)) {
      add(disk, key.resource, key.rule);
      out.waiting.push_back(std::move(key));
    }
  for (const std::string& uuid : cause.cases)
    for (Exonerated& one : convictions_of(common, uuid)) {
      const Rule& rule = *context_.rules->find(one.rule);
      add(about(make_suspect(context_, rule, one.resource)).part, one.resource, one.rule);
      out.convicted.push_back(std::move(one));
    }
  return out;
}

// Preferably by a rule that names a finding among its faults: it knows how long such a cause lasts.
void Verdicts::accuse(const SharedCause& cause) {
  if (std::any_of(cause.rules.begin(), cause.rules.end(),
                  [&](const Rule* rule) { return awaits_upstream(*rule, cause); }))
    return;
  const auto names_any = [&](const Rule* rule) {
    const std::vector<Finding> findings = effects_of(*rule, cause).findings;
    return std::any_of(findings.begin(), findings.end(), [&](const Finding& one) {
      const Rule* of = context_.rules->find(one.rule);
      return of && rule->names(of->fault->name);
    });
  };
  std::vector<const Rule*> rules = cause.rules;
  std::stable_partition(rules.begin(), rules.end(), names_any);
  for (const Rule* rule : rules)
    if (accuse(*rule, cause)) return;
}

// Assigns findings to the open cases about the disks' containers and pools that explain them, so that they do not
// count as effects of the shared part.
void Verdicts::explain_upstream(const Rule& common, const SharedCause& cause) {
  const Topology topology(context_.inventory, context_.paths, common);
  for (const std::string& disk : cause.disks)
    for (const RuleKey& key : waiting_about(common, disk)) {
      const Hold& hold = *holds_.find(key);
      if (!hold.cause.empty()) continue;
      if (Case* above = cause_above(common, topology, hold)) explain(key, *above);
    }
}

// A finding about a container of these disks has no verdict yet, and may explain them.
bool Verdicts::awaits_upstream(const Rule& common, const SharedCause& cause) const {
  return std::any_of(cause.disks.begin(), cause.disks.end(), [&](const std::string& disk) {
    Hold hold;
    hold.part = disk;
    const std::vector<RuleKey> waiting = waiting_upstream(common, hold);
    return std::any_of(waiting.begin(), waiting.end(), [&](const RuleKey& key) {
      const auto until = holds_.deadline_of(key);
      return !common.concerns(context_.rules->find(key.rule)->fault->name) && until &&
             *until < add_times(context_.now.steady_ns, kSoon);
    });
  });
}

// Findings that keep a part accused: a disk that is only slow does not.
bool Verdicts::counts(const Rule& common, const FaultClass& fault) {
  return common.names(fault.name) || (common.is_of_disks() && is_hard_evidence(fault));
}

bool Verdicts::accuse(const Rule& common, const SharedCause& cause) {
  CommonCause found;
  const Topology topology(context_.inventory, context_.paths, common);
  const std::vector<std::string> alike = cause.accused_by(common);
  for (const std::string& one : alike) {
    const bool is_higher = std::any_of(alike.begin(), alike.end(), [&](const std::string& other) {
      return other != one && topology.is_above(one, other);
    });
    (is_higher ? found.higher : found.lowest).push_back(one);
  }
  found.failing = cause.disks;
  found.below = cause.of;
  found.elsewhere = cause.elsewhere;
  found.elsewhere_failing = cause.elsewhere_failing;
  if (cause.disks.size() < fewest(cause)) return false;
  explain_upstream(common, cause);
  Effects effects = effects_of(common, cause);
  const Case* known = open_against(found.lowest, [&](const Case&, const std::string& fault) {
    return fault == common.fault->name;
  });
  const bool is_news =
      !effects.convicted.empty() ||
      std::any_of(effects.waiting.begin(), effects.waiting.end(), [&](const RuleKey& key) {
        return !known || holds_.find(key)->cause != known->uuid;
      });
  std::set<std::string> counted;
  for (const Finding& one : effects.findings)
    if (const Rule* rule = context_.rules->find(one.rule); rule && counts(common, *rule->fault))
      counted.insert(one.part);
  if (!is_news || counted.empty()) return false;
  Hold hold;
  hold.part = cause.disks.front();
  hold.since_ns = cause.first_ns;
  Facts facts = facts_of(common, found, hold.since_ns);
  facts["span"] = span_words(cause.last_ns - cause.first_ns);
  facts["found"] = numbered_titles(effects.findings);
  facts[kLeast] = fmt::format("{}", std::min(counted.size(), fewest(cause)));
  const std::string uuid = open_cause(common, found, hold, facts).uuid;
  for (const RuleKey& key : effects.waiting) explain(key, *book_.find(uuid));
  for (Exonerated& one : effects.convicted) {
    one.cause = uuid;
    exonerated_.push_back(std::move(one));
  }
  return true;
}

}  // namespace fmd
