// Verdicts: how long a finding waits for others that may have a cause in common with it.
//
// What accuses convicts; what only shows that others may follow (a sign) makes fmd wait for them, a bounded time. Of a
// controller that is lost one disk may be fully known while the plugin that would say the same of the others is
// down; of one whose memory is bad the first disk has its ten errors long before the last. What cannot be seen is no word for
// the others, and none against them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fmd/base/text.h"
#include "fmd/diagnosis/suspects.h"
#include "fmd/diagnosis/verdicts.h"

namespace fmd {

// The steady time until when it waits. The rule's own hold is time in which others were waited for as well. A part that is
// not alone waits longer: what fails one part after the other is not all there after a few seconds.
int64_t Verdicts::patience(const Rule& rule, const Hold& hold) const {
  int64_t until = 0;
  for (const Rule* common : context_.rules->common_of(rule.fault->name)) {
    const bool accuses = common->names(rule.fault->name);
    if (accuses && !has_others(*common, hold.part)) continue;  // it compares other parts
    if (!accuses && common->recurs()) continue;  // it takes three times, and is there or not
    until = std::max(
        until, accuses ? patience_for(*common, hold) : add_times(hold.since_ns, common->wait_ns));
  }
  return until;
}

int64_t Verdicts::patience_for(const Rule& common, const Hold& hold) const {
  const Accused now = accused(common, hold);
  const auto after = [&](int64_t wait) { return add_times(hold.since_ns, wait); };
  if (common.settle_ns > 0) {
    const Topology topology(context_.inventory, context_.paths, common);
    if (const auto found = common_cause(context_.inventory, topology, common, hold.part, now))
      return settled_at(common, *found, hold);
  }
  // Others have left with it before; the last of them may need longer than the first.
  const bool company = has_company(common, hold, now) ||
                       (common.recurs() && !recurrence_of(common, hold).shared.empty());
  // What counts shows beforehand who may follow.
  const bool gathers = company && (common.begun == 0 || more_may_follow(common, hold, now));
  const int64_t until =
      after(gathers ? std::max(common.gather_ns, common.hold_ns) : common.wait_ns);
  // What was a sign when it was found may be over by then.
  const bool asks = until <= context_.now.steady_ns && after(common.signs_wait_ns) > until;
  return asks && more_may_follow(common, hold, now) && foreshadowed(common, hold, now)
             ? after(common.signs_wait_ns)
             : until;
}

// Where all that show signs are accused already nobody is left to wait for.
bool Verdicts::more_may_follow(const Rule& common, const Hold& hold, Accused accused_now) const {
  accused_now.try_emplace(hold.part, hold.ways);
  const size_t before = accused_now.size();
  add_begun(common, accused_now);
  add_gone(common, hold, accused_now);
  return accused_now.size() > before;
}

// Something above has as many accused parts as the rule asks for, of as many kinds, and no person has said that it is not that.
bool Verdicts::has_company(const Rule& common, const Hold& hold, Accused accused_now) const {
  accused_now.try_emplace(hold.part, hold.ways);
  if (accused_now.size() < common.count) return false;
  const Topology topology(context_.inventory, context_.paths, common);
  std::map<std::string, std::vector<std::string>> below;
  for (const auto& [part, ways] : accused_now)
    for (const std::string& one : topology.above_over(part, ways)) below[one].push_back(part);
  const std::vector<std::string> above = topology.above_over(hold.part, hold.ways);
  return std::any_of(above.begin(), above.end(), [&](const std::string& one) {
    return below[one].size() >= common.count &&
           kinds_among(context_.inventory, below[one]) >= common.kinds &&
           !is_acquitted(common, one);
  });
}

// A wider cause that is about to show is not there yet with the first that are enough for a narrow one.
int64_t Verdicts::settled_at(const Rule& common, const CommonCause& found, const Hold& hold) const {
  if (common.settle_ns == 0) return context_.now.steady_ns;
  const std::vector<int64_t> times = times_of(common, found, hold.since_ns);
  return times.size() < common.count ? context_.now.steady_ns
                                     : add_times(times[common.count - 1], common.settle_ns);
}

// Errors on the way to what accuses.
void Verdicts::add_begun(const Rule& common, Accused& accused) const {
  if (common.begun == 0) return;
  const std::vector<Rule>& rules = context_.rules->rules();
  for (uint32_t i = 0; i < rules.size(); ++i) {
    if (rules[i].kind != RuleKind::serd || !common.names(rules[i].fault->name)) continue;
    for (const std::string& resource : serds_.begun(i, common.begun, context_.now.wall_ns))
      accused.try_emplace(about(make_suspect(context_, rules[i], resource)).part);
  }
}

// What accuses nothing, since a person may have done it, and what has left while nobody says yet why.
void Verdicts::add_gone(const Rule& common, const Hold& hold, Accused& accused) const {
  const auto near = [&](int64_t time) { return is_near(time, hold.since_ns, common.within_ns); };
  for (const auto& [part, keys] : holds_.by_part())
    for (const RuleKey& key : keys)
      if (const Rule* rule = context_.rules->find(key.rule);
          rule && near(holds_.find(key)->since_ns) &&
          std::find(common.explains.begin(), common.explains.end(), rule->fault->name) !=
              common.explains.end())
        accused.try_emplace(part);
  for (const auto& [part, since_ns] : context_.left)
    if (const Resource* r = context_.inventory.find(part);
        r && !r->present && common.compares(r->type) && near(since_ns))
      accused.try_emplace(part);
}

// What would be accused if all that show signs of it failed as well; or what would leave them undecided.
std::optional<CommonCause> Verdicts::foreshadowed(const Rule& common, const Hold& hold,
                                                  Accused accused_now) const {
  if (common.signs_wait_ns == 0) return {};
  accused_now.try_emplace(hold.part, hold.ways);
  add_begun(common, accused_now);
  Accused with_gone = accused_now;
  add_gone(common, hold, with_gone);
  const Topology topology(context_.inventory, context_.paths, common);
  auto found = common_cause(context_.inventory, topology, common, hold.part, with_gone);
  if (!found && common.begun > 0)
    found = common_doubt(context_.inventory, topology, common, hold.part, accused_now);
  if (found && is_acquitted(common, found->lowest.front())) found.reset();
  return found;
}

bool Verdicts::is_beside_signs(const Rule& rule, const Hold& hold) const {
  const std::vector<const Rule*> commons = context_.rules->common_of(rule.fault->name);
  return std::any_of(commons.begin(), commons.end(), [&](const Rule* common) {
    return common->names(rule.fault->name) && foreshadowed(*common, hold, accused(*common, hold));
  });
}

// With what shows signs it would be another part, or none that these have in common: what is accused too early would be
// told, and then something else.
bool Verdicts::is_premature(const Rule& common, const CommonCause& found, const Hold& hold) const {
  if (add_times(hold.since_ns, common.signs_wait_ns) <= context_.now.steady_ns) return false;
  Accused with_signs = accused(common, hold);
  const Topology topology(context_.inventory, context_.paths, common);
  if (common.begun > 0) {
    add_begun(common, with_signs);
    const auto then = common_cause(context_.inventory, topology, common, hold.part, with_signs);
    return !then || then->lowest != found.lowest;
  }
  const auto wider = foreshadowed(common, hold, std::move(with_signs));
  return wider && wider->below > found.below &&
         topology.is_above(wider->lowest.front(), found.lowest.front());
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
    if (accuse_at_once(rule, hold)) return;
    Found found{rule, key.resource};
    found.beside_signs = is_beside_signs(rule, hold);
    look_for_doubt(rule, hold);
    found.undecided = holds_.find(key)->doubt;
    holds_.end(key);
    return judge(found, &c);
  }
  book_.say(c, "waiting",
            fmt::format("rule {} suspects {}; waits {} for others that {}", rule.name,
                        name_of(context_.inventory, key.resource),
                        format_duration(until - context_.now.steady_ns),
                        is_beside_signs(rule, hold) ? "show signs of it as well" : "fail with it"));
}

}  // namespace fmd
