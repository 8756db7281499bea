// Verdicts: parts that failed together, but too few to accuse what they share.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/diagnosis/about.h"
#include "fmd/diagnosis/suspects.h"
#include "fmd/diagnosis/verdicts.h"
#include "fmd/model/part_name.h"

namespace fmd {

// Called when the wait for further failures is over. An idle part shows no errors, so a shared part can be
// accused although less than half of the parts below it fail.
bool Verdicts::accuse_at_once(const Rule& rule, const Hold& hold) {
  for (const Rule* common : context_.rules->common_of(rule.fault->name)) {
    if (common->at_once_ns == 0 || !common->names(rule.fault->name)) continue;
    const auto found = doubt_about(*common, hold);
    if (found && span_of(*common, *found, hold.since_ns) <= common->at_once_ns &&
        are_silent(*common, *found, hold) && blame(*common, *found, hold))
      return true;
  }
  return false;
}

// True if more parts than the rule's count have no explanation of their own. Stops there: there may be many.
bool Verdicts::are_silent(const Rule& common, const CommonCause& found, const Hold& hold) const {
  uint64_t silent = 0;
  const auto are_enough = [&](const std::string& part) {
    silent += !has_own_explanation(part);
    return silent > common.count;
  };
  if (!found.failing.empty())
    return std::any_of(found.failing.begin(), found.failing.end(), are_enough);
  const Crowd& crowd = accused(common, hold);
  const Hanging& hanging = crowd.hanging();
  const Hanging::Id above = *hanging.ancestor(found.lowest.front());
  const Hanging::Ids& below = hanging.below(above);
  return std::any_of(below.begin(), below.end(), [&](Hanging::Id part) {
    return crowd.fails_over(part, above) && are_enough(hanging.part_name(part));
  });
}

// A case about the part has evidence that no shared part can cause: that explains the failure.
// (Minor ones do not.)
bool Verdicts::has_own_explanation(const std::string& part) const {
  const CaseBook::List about = book_.by(CaseBook::By::fru, part);
  return std::any_of(about.begin(), about.end(), [&](const Case* c) {
    return is_convictable(*c) &&
           std::any_of(c->suspects.begin(), c->suspects.end(), [&](const Suspect& s) {
             const FaultClass* fault = context_.rules->fault(s.fault_class);
             return s.fru == part && s.status == SuspectStatus::faulty && fault &&
                    severity_rank(fault->severity) > severity_rank("Minor") &&
                    context_.rules->common_of(s.fault_class).empty();
           });
  });
}

// Parts that failed together share one doubt, although they are judged one after the other. Only faults that
// retire a part need it.
void Verdicts::look_for_doubt(const Rule& rule, const Hold& hold) {
  if (rule.fault->retire.first.empty() && !rule.fault->retire.spare) return;
  for (const Rule* common : context_.rules->common_of(rule.fault->name)) {
    if (!common->names(rule.fault->name)) continue;
    auto found = doubt_about(*common, hold);
    if (!found || is_acquitted(*common, found->lowest.front())) continue;
    const std::string name = name_in_place(context_.inventory, found->lowest.front());
    const std::string& part = common->part_types.front();
    const std::string failed = fmt::format("{} {}s", share_of(*common, *found), part);
    const std::string span = span_in_words(*common, *found, hold.since_ns);
    share_doubt(
        *common, *found, hold,
        common->in_common.empty()
            ? fmt::format("{} behind {} failed within {} of each other, so it may be a cable or {} "
                          "itself and not the {}",
                          failed, name, span, name, part)
            : fmt::format("{} failed within {} of each other, so it may be {} and not the {}",
                          failed, span, name, part));
    return;
  }
}

// While a doubt continues, only newcomers are added to it. Its text is stored once, for all of them.
void Verdicts::share_doubt(const Rule& common, CommonCause& found, const Hold& hold,
                           std::string why) {
  const std::string& ancestor = found.lowest.front();
  Shared& known = shared_[common.name];
  const auto newcomers = accusations_.newcomers(common, ancestor, hold.since_ns, known.since_ns);
  const bool goes_on = newcomers && !common.recurs() && known.doubt && known.ancestor == ancestor &&
                       known.structure == accusations_.structure() &&
                       is_near(known.first_ns, hold.since_ns, common.within_ns) &&
                       is_near(known.last_ns, hold.since_ns, common.within_ns);
  if (goes_on) {
    holds_.reword(known.doubt, std::move(why));
  } else {
    name_all(common, found, hold);
    known = {ancestor, accusations_.structure(), std::make_shared<std::string>(std::move(why))};
    known.first_ns = known.last_ns = hold.since_ns;
  }
  known.since_ns = hold.since_ns;
  for (const std::string& part : goes_on ? *newcomers : found.failing)
    for (const RuleKey& key : holds_.about_part(part)) {
      if (!is_accused_by(common, key, hold.since_ns)) continue;
      holds_.doubt(key, known.doubt);
      const int64_t since_ns = holds_.find(key)->since_ns;
      known.first_ns = std::min(known.first_ns, since_ns);
      known.last_ns = std::max(known.last_ns, since_ns);
    }
}

void Verdicts::restored(const Case& c) {
  if (!c.undecided().empty()) is_undecided(c.uuid);
}

void Verdicts::is_undecided(const std::string& uuid) {
  undecided_.insert(uuid);
  unfiled_.insert(uuid);
}

void Verdicts::settle_undecided(const std::set<std::string>& touched) {
  std::set<std::string> moved = holds_.take_changed_doubts();
  bool changed = !moved.empty();
  unfiled_.merge(moved);
  std::set<std::string> due = std::exchange(joined_, {});
  due.insert(touched.begin(), touched.end());
  std::erase_if(due, [&](const std::string& uuid) { return !undecided_.contains(uuid); });
  for (const std::string& uuid : due) {
    unfiled_.insert(uuid);
    Case* c = book_.find(uuid);
    if (c && !c->undecided().empty() && !has_word_of_its_own(*c)) continue;
    changed = true;
    undecided_.erase(uuid);
    if (c && !c->merged_into.empty() && !undecided_.contains(c->merged_into)) {
      is_undecided(c->merged_into);
      joined_.insert(c->merged_into);
    }
    if (c && !c->undecided().empty())
      decide(*c, "what was found since can only be the part itself");
  }
  if (!changed) return;
  file_doubts();
  for (const std::string& uuid : doubts_.take_alone()) {
    if (undecided_.erase(uuid) == 0) continue;
    unfiled_.insert(uuid);
    if (Case* c = book_.find(uuid))
      decide(*c, "the others that failed with it are over, and it is not");
  }
}

void Verdicts::file_doubts() {
  if (const uint64_t structure = accusations_.structure(); filed_by_ != structure) {
    filed_by_ = structure;
    doubts_.clear();
    unfiled_ = undecided_;
    for (const RuleKey& key : holds_.doubted()) unfiled_.insert(holds_.find(key)->uuid);
  }
  for (const std::string& uuid : std::exchange(unfiled_, {}))
    doubts_.file(uuid, doubted_places(uuid));
}

// Another finding, which no shared part can cause, also wants it retired.
bool Verdicts::has_word_of_its_own(const Case& c) const {
  return std::any_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
    if (s.status != SuspectStatus::faulty || !s.undecided.empty()) return false;
    const FaultClass* fault = context_.rules->fault(s.fault_class);
    const auto& commons = context_.rules->common_of(s.fault_class);
    return fault && !fault->retire.first.empty() && commons.empty();
  });
}

std::vector<Doubts::Place> Verdicts::doubted_places(const std::string& uuid) const {
  std::vector<Doubts::Place> out;
  const auto add = [&](const std::string& fault, const std::string& name,
                       const std::set<std::string>& ways) {
    for (const Rule* common : context_.rules->common_of(fault)) {
      if (!common->names(fault)) continue;
      const std::shared_ptr<Hanging> hanging = accusations_.hanging(*common);
      const Hanging::Id part = hanging->part(name);
      out.push_back({common, part, hanging->above_over(part, ways)});
    }
  };
  if (const Case* c = undecided_.contains(uuid) ? book_.find(uuid) : nullptr)
    for (const Suspect& s : c->suspects)
      if (s.status == SuspectStatus::faulty) {
        const About what = fmd::about(context_, s);
        add(s.fault_class, what.part, what.ways);
      }
  if (const std::optional<RuleKey> key = holds_.of_case(uuid))
    if (const Rule* rule = context_.rules->find(key->rule); rule && holds_.doubted().contains(*key))
      add(rule->fault->name, holds_.find(*key)->part, holds_.find(*key)->ways);
  return out;
}

void Verdicts::decide(Case& c, const std::string& why) {
  for (Suspect& s : c.suspects) s.undecided.clear();
  choose_texts(context_, c);
  book_.say(c, "note", fmt::format("decided: {}", why));
}

}  // namespace fmd
