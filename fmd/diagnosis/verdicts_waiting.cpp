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
#include "fmd/model/part_name.h"

namespace fmd {
namespace {

// While a finding is being weighed, its own part counts as failing, on its paths.
class Guest {
 public:
  Guest(Crowd& crowd, Hanging& hanging, const Hold& hold)
      : crowd_(crowd), part_(hanging.part(hold.part)), ways_(hold.ways) {
    is_added_ = !crowd.is_accused(part_);
    if (is_added_) crowd.accuse(part_, ways_);
  }
  ~Guest() {
    if (is_added_) crowd_.take_back(part_, ways_);
  }
  Guest(const Guest&) = delete;
  Hanging::Id part() const { return part_; }

 private:
  Crowd& crowd_;
  Hanging::Id part_;
  const std::set<std::string>& ways_;
  bool is_added_ = false;
};

// True if at least `count` parts below the ancestor, of at least `kinds` types, qualify; includes
// parts that the rule does not compare.
bool are_company(const Inventory& inventory, const Crowd& crowd, const Rule& common,
                 Hanging::Id ancestor) {
  const Hanging& hanging = crowd.hanging();
  if (common.kinds <= 1 && crowd.strangers().empty())
    return crowd.failing(ancestor) >= common.count;
  std::vector<std::string> below;
  for (const Hanging::Id part : crowd.failing_parts(ancestor))
    below.push_back(hanging.part_name(part));
  for (const Hanging::Id part : crowd.strangers()) {
    const Hanging::Ids over = hanging.above_over(part, crowd.ways(part));
    if (std::find(over.begin(), over.end(), ancestor) != over.end())
      below.push_back(hanging.part_name(part));
  }
  return below.size() >= common.count && kinds_among(inventory, below) >= common.kinds;
}

}  // namespace

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
  Crowd& now = accused(common, hold);
  const auto after = [&](int64_t wait) { return add_times(hold.since_ns, wait); };
  if (common.settle_ns > 0)
    if (auto found = common_cause(context_.inventory, now, common, hold.part)) {
      name_failing(*found, now);
      return settled_at(common, *found, hold);
    }
  // Others have left with it before; the last of them may need longer than the first.
  const bool company = has_company(common, hold, now) ||
                       (common.recurs() && !recurrence_of(common, hold).shared.empty());
  // Begun counts show in advance which parts may follow.
  const bool gathers = company && (common.begun == 0 || more_may_follow(common, hold));
  const int64_t until =
      after(gathers ? std::max(common.gather_ns, common.hold_ns) : common.wait_ns);
  // A sign at the time of the finding may be over by then.
  const bool asks = until <= context_.now.steady_ns && after(common.signs_wait_ns) > until;
  return asks && more_may_follow(common, hold) && foreshadowed(common, hold)
             ? after(common.signs_wait_ns)
             : until;
}

// If all parts with signs are accused already, there is nothing to wait for.
bool Verdicts::more_may_follow(const Rule& common, const Hold& hold) const {
  const size_t accused = accusations_.at(common, hold.since_ns, Accusations::With::findings).size();
  return accusations_.at(common, hold.since_ns, Accusations::With::gone).size() > accused;
}

// Something above has as many accused parts as the rule asks for, of as many kinds, and no person has said that it is not that.
bool Verdicts::has_company(const Rule& common, const Hold& hold, Crowd& accused_now) const {
  const Guest guest(accused_now, *accusations_.hanging(common), hold);
  if (accused_now.size() < common.count) return false;
  const Hanging& hanging = accused_now.hanging();
  const Hanging::Ids above = hanging.above_over(guest.part(), hold.ways);
  return std::any_of(above.begin(), above.end(), [&](Hanging::Id one) {
    return are_company(context_.inventory, accused_now, common, one) &&
           !is_acquitted(common, hanging.ancestor_name(one));
  });
}

// A wider cause that is about to show is not there yet with the first that are enough for a narrow one.
int64_t Verdicts::settled_at(const Rule& common, const CommonCause& found, const Hold& hold) const {
  if (common.settle_ns == 0) return context_.now.steady_ns;
  const std::vector<int64_t> times = times_of(common, found, hold.since_ns);
  return times.size() < common.count ? context_.now.steady_ns
                                     : add_times(times[common.count - 1], common.settle_ns);
}

// The ancestor that would be accused, or undecided, if all parts with signs failed as well.
std::optional<CommonCause> Verdicts::foreshadowed(const Rule& common, const Hold& hold) const {
  if (common.signs_wait_ns == 0) return {};
  const auto ask = [&](Accusations::With with, auto question) {
    Crowd& crowd = accusations_.at(common, hold.since_ns, with);
    const Guest guest(crowd, *accusations_.hanging(common), hold);
    return question(context_.inventory, crowd, common, hold.part);
  };
  auto found = ask(Accusations::With::gone, common_cause);
  if (!found && common.begun > 0) found = ask(Accusations::With::begun, common_doubt);
  if (found && is_acquitted(common, found->lowest.front())) found.reset();
  return found;
}

bool Verdicts::is_beside_signs(const Rule& rule, const Hold& hold) const {
  const std::vector<const Rule*>& commons = context_.rules->common_of(rule.fault->name);
  return std::any_of(commons.begin(), commons.end(), [&](const Rule* common) {
    return common->names(rule.fault->name) && foreshadowed(*common, hold);
  });
}

// With these signs the cause would be another ancestor, or none that they share: an early
// accusation would have to be corrected.
bool Verdicts::is_premature(const Rule& common, const CommonCause& found, const Hold& hold) const {
  if (add_times(hold.since_ns, common.signs_wait_ns) <= context_.now.steady_ns) return false;
  if (common.begun > 0) {
    const Crowd& with_signs = accusations_.at(common, hold.since_ns, Accusations::With::begun);
    const auto then = common_cause(context_.inventory, with_signs, common, hold.part);
    return !then || then->lowest != found.lowest;
  }
  const Topology topology(context_.inventory, context_.paths, common);
  const auto wider = foreshadowed(common, hold);
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
    if (const Doubt& doubt = holds_.find(key)->doubt) found.undecided = *doubt;
    holds_.end(key);
    return judge(found, &c);
  }
  book_.say(c, "waiting",
            fmt::format("rule {} suspects {}; waits {} for others that {}", rule.name,
                        name_in_place(context_.inventory, key.resource),
                        format_duration(until - context_.now.steady_ns),
                        is_beside_signs(rule, hold) ? "show signs of it as well" : "fail with it"));
}

}  // namespace fmd
