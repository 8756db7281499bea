// Verdicts: findings that are made of events which others had in the same moments.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/diagnosis/suspects.h"
#include "fmd/diagnosis/verdicts.h"

namespace fmd {

// Of all parts, whether it was enough for a finding or not: of one or the other an event may be missing.
Moments Verdicts::moments(const Rule& common) const {
  Moments out;
  serds_.for_each_of(common.faults, [&](const Rule& rule, const std::string& resource,
                                        const std::vector<int64_t>& times) {
    std::vector<int64_t>& known = out[about(make_suspect(context_, rule, resource)).part];
    known.insert(known.end(), times.begin(), times.end());
  });
  for (auto& [part, times] : out) std::sort(times.begin(), times.end());
  return out;
}

Recurrence Verdicts::recurrence_of(const Rule& common, const Hold& hold) const {
  const std::optional<RuleKey> key = holds_.of_case(hold.uuid);
  if (!key) return {};
  const Topology topology(context_.inventory, context_.paths, common);
  return recurrence(context_.inventory, topology, common, hold.part,
                    serds_.times(key->rule, key->resource), moments(common));
}

// The last time decides what else fails at this time.
Accused Verdicts::accused_together(const Rule& common, const std::string& part) const {
  const Moments all = moments(common);
  const auto at = all.find(part);
  return at == all.end() || at->second.empty() ? Accused()
                                               : together(common, all, at->second.back());
}

// Each time it was the same; else it is not known yet what it is.
std::optional<CommonCause> Verdicts::recurring_cause(const Rule& common, const Hold& hold) const {
  Recurrence found = recurrence_of(common, hold);
  return found.own.empty() ? std::move(found.cause) : std::nullopt;
}

// Some of it was its own and some was not: what was not is no more counted against it.
bool Verdicts::is_not_its_own(const RuleKey& key, const Hold& hold) {
  const Rule* rule = context_.rules->find(key.rule);
  for (const Rule* common : context_.rules->common_of(rule->fault->name)) {
    if (!common->recurs() || !common->names(rule->fault->name)) continue;
    const Recurrence found = recurrence_of(*common, hold);
    if (found.own.empty() || found.shared.empty()) continue;
    serds_.disown(key.rule, key.resource, found.shared);
    return true;
  }
  return false;
}

// Only where it was so each time: that it was, the last time, says nothing of the others.
std::optional<CommonCause> Verdicts::doubt_about(const Rule& common, const Hold& hold) const {
  const Topology topology(context_.inventory, context_.paths, common);
  const auto doubt = [&](const Accused& with) {
    return common_doubt(context_.inventory, topology, common, hold.part, with);
  };
  if (!common.recurs()) return doubt(accused(common, hold));
  const Moments all = moments(common);
  std::optional<CommonCause> last;
  for (const int64_t time : recurrence_of(common, hold).own) {
    last = doubt(together(common, all, time));
    if (!last) return {};
  }
  return last;
}

}  // namespace fmd
