// Verdicts: a part's container or ancestor has a fault already, or may have one.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/diagnosis/suspects.h"
#include "fmd/diagnosis/verdicts.h"

namespace fmd {
namespace {

const std::vector<Relation> kAllRelations{Relation::contains, Relation::path, Relation::power,
                                          Relation::cooling, Relation::redundancy};

bool is_upstream(const Rule& common, std::string_view fault) {
  return std::find(common.upstream.begin(), common.upstream.end(), fault) != common.upstream.end();
}

}  // namespace

// The part's ancestors and containers; for an absent disk its last bay.
std::vector<std::string> Verdicts::upstream_of(const Rule& common, const std::string& part) const {
  if (common.upstream.empty()) return {};
  const Topology topology(context_.inventory, context_.paths, kAllRelations);
  std::vector<std::string> out = topology.above(part);
  const Resource* r = context_.inventory.find(part);
  const Tenancy* stay = context_.bays && r && !r->present ? context_.bays->last_of(part) : nullptr;
  if (!stay || std::find(out.begin(), out.end(), stay->bay) != out.end()) return out;
  out.push_back(stay->bay);
  for (std::string& one : topology.above(stay->bay)) out.push_back(std::move(one));
  return out;
}

// Findings about these that have no verdict yet.
std::vector<RuleKey> Verdicts::waiting_upstream(const Rule& common, const Hold& hold) const {
  std::vector<RuleKey> out;
  for (const std::string& one : upstream_of(common, hold.part))
    for (const RuleKey& key : holds_.about(one))
      if (const Rule* rule = context_.rules->find(key.rule);
          rule && is_upstream(common, rule->fault->name))
        out.push_back(key);
  return out;
}

// A shelf without power whose feed is accused also explains its disks.
Case* Verdicts::cause_of_upstream(const Rule& common, const Hold& hold) const {
  for (const RuleKey& key : waiting_upstream(common, hold))
    if (Case* c = book_.find(holds_.find(key)->cause); c && is_convictable(*c)) return c;
  return nullptr;
}

// While the cause of the shelf's fault is open, its disks wait for it.
int64_t Verdicts::upstream_until(const Rule& rule, const Hold& hold) const {
  int64_t until = 0;
  for (const Rule* common : context_.rules->causes_of(rule.fault->name))
    for (const RuleKey& key : waiting_upstream(*common, hold))
      if (const auto deadline = holds_.deadline_of(key);
          deadline && holds_.find(key)->stage == HoldStage::siblings)
        until = std::max(until, *deadline + 1);
  return until;
}

// For a container of such parts (a shelf): the case that explains several of them.
Case* Verdicts::cause_of_whole(const Rule& common, const std::string& whole) const {
  const Resource* r = context_.inventory.find(whole);
  if (!r || common.compares(r->type) || common.upstream.empty()) return nullptr;
  for (const std::string& uuid : holds_.causes()) {
    Case* c = book_.find(uuid);
    if (!c || !is_convictable(*c) || cause_rule(*context_.rules, *c) != &common) continue;
    std::set<std::string> within;
    for (const RuleKey& key : holds_.explained_by(uuid))
      if (const std::string& part = holds_.find(key)->part; part != whole)
        if (const auto above = upstream_of(common, part);
            std::find(above.begin(), above.end(), whole) != above.end())
          within.insert(part);
    if (within.size() >= 2) return c;
  }
  return nullptr;
}

// A fan that was taken out is Minor; that its shelf is too hot of it is not, and has no other case to say so.
void Verdicts::weigh(Case& cause) {
  if (!is_convictable(cause)) return;
  const std::string before = cause.severity;
  cause.consequence.reset();
  render(context_, cause);
  for (const RuleKey& key : holds_.explained_by(cause.uuid)) {
    const Rule* rule = context_.rules->find(key.rule);
    const int known =
        severity_rank(cause.consequence ? cause.consequence->severity : cause.severity);
    if (!rule || severity_rank(rule->fault->severity) <= known) continue;
    Suspect suspect = make_suspect(context_, *rule, key.resource);
    suspect.facts = book_.find(holds_.find(key)->uuid)->facts;
    cause.consequence = Consequence{
        rule->fault->severity,
        fmt::format("{} ({})", fill_text(context_.inventory, suspect, rule->fault->title),
                    rule->fault->code)};
  }
  render(context_, cause);
  book_.touch(cause);
  if (cause.severity == before) return;
  book_.say(cause, "note",
            cause.consequence
                ? fmt::format("{} now: it leads to {}", cause.severity, cause.consequence->text)
                : fmt::format("{} again: what it led to is over", cause.severity));
  book_.tell("updated", cause);
}

}  // namespace fmd
