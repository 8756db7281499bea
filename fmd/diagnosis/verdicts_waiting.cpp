// Verdicts: how long a finding waits for others that may have a cause in common with it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "fmd/base/duration.h"
#include "fmd/base/text.h"
#include "fmd/diagnosis/suspects.h"
#include "fmd/diagnosis/topology.h"
#include "fmd/diagnosis/verdicts.h"
#include "fmd/model/part_name.h"

namespace fmd {
namespace {

constexpr int64_t kUndecided = 120'000'000'000;  // then the case is reported with its doubt
constexpr int64_t kLookAgain = 10'000'000'000;
constexpr int64_t kSameMoment = 10'000'000'000;  // a kernel drops the disks of a shelf in turn
constexpr uint64_t kFewEvents = 5;

}  // namespace

// The steady time until when it waits. The rule's own hold is time in which others were waited for as
// well.
int64_t Verdicts::patience(const Rule& rule, const Hold& hold) const {
  int64_t until = 0;
  for (const Rule* common : context_.rules->causes_of(rule.fault->name)) {
    const bool accuses = common->names(rule.fault->name);
    if (accuses && !has_others(*common, hold.part)) continue;  // it compares other parts
    until = std::max(until, accuses && !common->is_of_disks()
                                ? patience_for(*common, hold)
                                : add_times(hold.since_ns, common->wait_ns));
  }
  return until;
}

// While others already fail with it, a wider cause may show as long as a single part waits for others, though
// at most two minutes.
int64_t Verdicts::patience_for(const Rule& common, const Hold& hold) const {
  if (const auto found = cause_in_common(common, hold))
    return std::max(settled_at(common, *found, hold), add_times(hold.since_ns, common.hold_ns));
  return add_times(hold.since_ns, common.wait_ns);
}

int64_t Verdicts::settled_at(const Rule& common, const CommonCause& found, const Hold& hold) const {
  const std::vector<int64_t> times = times_of(common, found, hold.since_ns);
  return times.size() < 2 || !common.in_common.empty()  // nothing is wider
             ? context_.now.steady_ns
             : add_times(times[1], std::min(common.wait_ns, kUndecided));
}

// The odds may soon be enough to accuse a shared part; until then people read nothing that may have
// to be corrected.
bool Verdicts::is_open_question(const Hold& hold) const {
  return context_.now.steady_ns < add_times(hold.since_ns, kUndecided) && veto_.doubts(hold.uuid);
}

// When most disks below something above this one had such an event as well.
std::vector<int64_t> Verdicts::shared_times(const Rule& rule, const RuleKey& key,
                                            const Hold& hold) const {
  const uint32_t index = context_.rules->index(rule);
  std::map<std::string, std::vector<int64_t>> times;  // by disk
  serds_.for_each([&](const SerdBank::Counted& one) {
    if (one.first == index)
      times[about(make_suspect(context_, rule, one.second)).part] = serds_.times(index, one.second);
  });
  const auto had_one = [&](const std::string& disk, int64_t at) {
    const auto of = times.find(disk);
    return of != times.end() && std::any_of(of->second.begin(), of->second.end(), [&](int64_t one) {
             return is_near(one, at, kSameMoment);
           });
  };
  std::vector<int64_t> out;
  for (const Rule* common : context_.rules->causes_of(rule.fault->name)) {
    if (!common->is_of_disks() || !common->names(rule.fault->name)) continue;
    const Topology topology(context_.inventory, context_.paths, *common);
    for (const std::string& above : topology.above(hold.part)) {
      const std::vector<std::string> disks = topology.below(above, common->part_types);
      for (const int64_t at : serds_.times(index, key.resource)) {
        const auto with_it = static_cast<size_t>(
            std::count_if(disks.begin(), disks.end(),
                          [&](const std::string& disk) { return had_one(disk, at); }));
        if (with_it >= 2 && 2 * with_it > disks.size()) out.push_back(at);
      }
    }
  }
  return out;
}

// Of few events (a disk left three times) each has a cause. Those that it shares with others are a
// person's, or have a shared cause; they do not count against a disk that also has some alone.
bool Verdicts::is_not_its_own(const RuleKey& key, const Hold& hold) {
  const Rule& rule = *context_.rules->find(key.rule);
  if (rule.kind != RuleKind::serd || rule.count > kFewEvents) return false;
  const std::vector<int64_t> all = serds_.times(context_.rules->index(rule), key.resource),
                             shared = shared_times(rule, key, hold);
  const bool any_alone = std::any_of(all.begin(), all.end(), [&](int64_t at) {
    return std::find(shared.begin(), shared.end(), at) == shared.end();
  });
  if (shared.empty() || !any_alone) return false;
  serds_.disown(context_.rules->index(rule), key.resource, shared);
  return true;
}

void Verdicts::await_others(const RuleKey& key, Hold hold) {
  const Rule& rule = *context_.rules->find(key.rule);
  Case& c = *book_.find(hold.uuid);
  hold.stage = HoldStage::siblings;
  holds_.begin(key, hold, context_.now.steady_ns);  // it is one of those that are counted
  const int64_t upstream = upstream_until(rule, hold);
  const int64_t until = std::max(patience(rule, hold), upstream);
  holds_.begin(key, hold, until);
  if (upstream <= context_.now.steady_ns && explained(key, hold)) return;
  if (until <= context_.now.steady_ns) {
    if (is_not_its_own(key, hold)) {
      holds_.end(key);
      return book_.discard(c);
    }
    if (is_open_question(hold)) {
      hold.waited = true;
      holds_.begin(key, hold,
                   std::min(add_times(context_.now.steady_ns, kLookAgain),
                            add_times(hold.since_ns, kUndecided)));
      return book_.say(
          c, "waiting",
          fmt::format("rule {} suspects {}; other disks fail as well, so it waits until "
                      "it is known whether they share the cause",
                      rule.name, name_in_place(context_.inventory, key.resource)));
    }
    holds_.end(key);
    return judge({rule, key.resource}, &c);
  }
  const int64_t left_ns = until - context_.now.steady_ns + kSecondNs - 1;
  book_.say(c, "waiting",
            fmt::format("rule {} suspects {}; waits {} for others that fail with it", rule.name,
                        name_in_place(context_.inventory, key.resource),
                        format_duration(left_ns / kSecondNs * kSecondNs)));
}

}  // namespace fmd
