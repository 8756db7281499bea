// Verdicts: findings that are made of events which others had in the same moments.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/diagnosis/suspects.h"
#include "fmd/diagnosis/verdicts.h"

namespace fmd {

// All parts, even without enough events for a finding: an event of one of them may be missing.
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
  return recurrence(context_.inventory, accusations_.hanging(common), common, hold.part,
                    serds_.times(key->rule, key->resource), moments(common));
}

// The last time decides what else fails at this time.
Crowd Verdicts::accused_together(const Rule& common, const std::string& part) const {
  const Moments all = moments(common);
  const auto at = all.find(part);
  return crowd_of(accusations_.hanging(common), at == all.end() || at->second.empty()
                                                    ? Accused()
                                                    : together(common, all, at->second.back()));
}

// True if it was the same each time; otherwise the cause is unknown yet.
std::optional<CommonCause> Verdicts::recurring_cause(const Rule& common, const Hold& hold) const {
  Recurrence found = recurrence_of(common, hold);
  return found.own.empty() ? std::move(found.cause) : std::nullopt;
}

// Some events were the part's own and some were shared: the shared ones no longer count against it.
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
  if (!common.recurs())
    return common_doubt(context_.inventory, accused(common, hold), common, hold.part);
  const Moments all = moments(common);
  std::optional<CommonCause> last;
  for (const int64_t time : recurrence_of(common, hold).own) {
    const Crowd then = crowd_of(accusations_.hanging(common), together(common, all, time));
    last = common_doubt(context_.inventory, then, common, hold.part);
    if (!last) return {};
    name_failing(*last, then);
  }
  return last;
}

}  // namespace fmd
