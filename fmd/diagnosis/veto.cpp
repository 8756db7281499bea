#include "fmd/diagnosis/veto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "fmd/base/duration.h"
#include "fmd/base/moment.h"
#include "fmd/base/text.h"
#include "fmd/diagnosis/suspect_text.h"
#include "fmd/model/part_name.h"

namespace fmd {
namespace {

constexpr int64_t kRestForItem = 500'000, kRestForPart = 50'000;  // ns
constexpr int64_t kLeastDoubt = 120'000'000'000, kMostDoubt = 300'000'000'000;

const double kSure = std::log(99), kAhead = std::log(4), kAheadLater = std::log(2);
constexpr size_t kFew = 3;
constexpr int64_t kMoment = 30'000'000'000;
constexpr int64_t kPatience = 90'000'000'000;  // for a cable that someone has just reseated
constexpr int64_t kSettled = 5'000'000'000;    // others may fail that make it a wider cause

bool acts(const Case& c) {
  return c.open() && c.state != CaseState::unsolved && c.faulty() &&
         (c.led || c.retire.spare || !c.retire.first.empty());
}

bool is_vetoed(const Case& c) {
  return std::any_of(c.suspects.begin(), c.suspects.end(),
                     [](const Suspect& s) { return !s.undecided.empty(); });
}

// Up to three disks may fail by coincidence: if a narrower cause explains all others, or if they are at
// most half of the disks there, failed minutes apart, or are too few for an accusation. Three in the
// same moment are none.
bool are_few(const SharedCause& cause) {
  const size_t count = cause.disks.size();
  const int64_t span = cause.last_ns - cause.first_ns;
  if (cause.explained > 0) return cause.found <= cause.explained + kFew;
  if (count > kFew) return false;
  if (count == kFew && span <= kMoment && cause.gain >= kSure) return false;
  return 2 * count <= cause.of || cause.found < std::min(kFew, cause.below) || span >= kMostDoubt;
}

// A shared cause would have made another disk fail after about twice the time between these.
std::optional<int64_t> doubted_until_ns(const SharedCause& cause) {
  if (!are_few(cause)) return {};
  const int64_t gap = (cause.last_ns - cause.first_ns) /
                      static_cast<int64_t>(std::max<size_t>(1, cause.disks.size() - 1));
  return add_times(cause.last_ns, std::clamp(2 * gap, kLeastDoubt, kMostDoubt));
}

// Disks that only left an enclosure may have been pulled.
bool is_sure(const SharedCause& cause, int64_t now_ns) {
  if (cause.hub == blame::HubKind::enclosure && cause.concluded < 2) return false;
  const bool is_quiet =
      now_ns >= add_times(cause.last_ns, kMoment);  // nothing points to a wider one
  return cause.gain >= kSure && cause.lead >= (is_quiet ? kAheadLater : kAhead) &&
         !are_few(cause) && cause.ongoing >= 2 &&
         now_ns >= add_times(cause.ongoing_ns, cause.concluded >= 2 ? kSettled : kPatience);
}

// A doubt that people read, not only the wait for the next look.
bool shows_doubt(const Case& c) {
  return std::any_of(c.suspects.begin(), c.suspects.end(), [](const Suspect& s) {
    return !s.undecided.empty() && s.undecided != kYetToCompare;
  });
}

std::string why(const Inventory& inventory, const SharedCause& cause) {
  const std::string failed = fmt::format("{} of {} disks", cause.disks.size(), cause.of),
                    span = span_words(cause.last_ns - cause.first_ns);
  const auto doubt = [&](const std::string& who, const std::string& instead) {
    return doubt_words(failed + who, span, instead, "disk");
  };
  if (cause.hub == blame::HubKind::machine)
    return cause.way == blame::Way::data
               ? doubt(" returned wrong data", "the memory or a processor of this machine")
               : doubt(" failed", "something that they share");
  const std::string name = name_in_place(inventory, cause.names.front());
  return cause.hub == blame::HubKind::path ? doubt(fmt::format(" behind {} failed", name),
                                                   fmt::format("a cable or {} itself", name))
                                           : doubt(fmt::format(" in {} failed", name),
                                                   fmt::format("the power or a cable of {}", name));
}

}  // namespace

void Veto::look_at(const std::set<std::string>& cases) {
  for (const std::string& uuid : cases) {
    Case* c = book_.find(uuid);
    if (!c || !acts(*c) || !inference_.concerns(uuid)) {
      if (c && c->open() && is_vetoed(*c)) set(*c, "");
      if (c && c->open()) wait_until(*c, {});
      acting_.erase(uuid);
      vetoed_.erase(uuid);
      waiting_.erase(uuid);
      unweighed_.erase(uuid);
      comparing_.erase(uuid);
      const bool is_finding = c && c->state == CaseState::unsolved && c->explained_by.empty() &&
                              inference_.concerns(uuid);
      if (!is_finding)
        findings_.erase(uuid);
      else
        due_ |= std::exchange(findings_[uuid], inference_.finding_of(uuid)) !=
                inference_.finding_of(uuid);
    } else if (acting_.insert(uuid).second) {
      unweighed_.insert(uuid);
      due_ = true;
    }
  }
}

void Veto::restored(const std::set<std::string>& cases) {
  look_at(cases);
  for (const std::string& uuid : std::exchange(unweighed_, {})) {
    const Case& c = *book_.find(uuid);
    if (is_vetoed(c)) vetoed_.try_emplace(uuid);
    if (c.acts_at_ns > 0) waiting_.insert(uuid);
  }
}

std::optional<int64_t> Veto::next_ns() const {
  if (due_ && !(acting_.empty() && findings_.empty())) return rests_until_ns_;
  if (!next_look_ns_ || (vetoed_.empty() && waiting_.empty() && doubted_.empty())) return {};
  return std::max(*next_look_ns_, rests_until_ns_);
}

std::vector<SharedCause> Veto::weigh() {
  due_ |= inference_.take_evidence_changed();
  const std::optional<int64_t> next = next_ns();
  if (!next || (!due_ && context_.now.steady_ns < *next)) return {};
  if (context_.now.steady_ns < rests_until_ns_) {
    for (const std::string& uuid : unweighed_)
      if (Case* c = book_.find(uuid)) set(*c, std::string(kYetToCompare));
    comparing_.merge(unweighed_);
    unweighed_.clear();
    return {};
  }
  due_ = false;
  std::set<std::string> fresh = std::exchange(unweighed_, {});
  fresh.merge(std::exchange(comparing_, {}));
  next_look_ns_ = std::nullopt;
  doubted_.clear();
  std::set<std::string> free = acting_, waited;
  std::vector<SharedCause> accused;
  for (SharedCause& cause : inference_.shared_causes(context_.now.steady_ns)) {
    if (cause.hub == blame::HubKind::bay ||
        cause.found < (cause.way == blame::Way::data && cause.disks.size() > 2 ? 1 : 2) ||
        is_acquitted(cause))
      continue;
    if (const std::optional<int64_t> until = doubted_until_ns(cause)) {
      if (*until <= context_.now.steady_ns) {
        waited.insert(cause.cases.begin(), cause.cases.end());
        continue;
      }
      look_by(*until);
    }
    for (const std::string& uuid : cause.cases) {
      if (findings_.contains(uuid)) doubted_.insert(uuid);
      if (Case* c = free.erase(uuid) > 0 ? book_.find(uuid) : nullptr) doubt(*c, cause);
    }
    if (is_sure(cause, context_.now.steady_ns)) accused.push_back(std::move(cause));
  }
  for (const std::string& uuid : free)
    if (Case* c = book_.find(uuid)) {
      wait_until(*c, fresh.contains(uuid) || waiting_.contains(uuid) ? acts_at(*c) : std::nullopt);
      lift(*c, waited.contains(uuid) ? "no other disk has failed since"
                                     : "the disk itself is the most likely cause now");
    }
  if (const auto look = inference_.next_look()) look_by(*look);
  rests_until_ns_ = add_times(context_.now.steady_ns, kRestForItem * inference_.items() +
                                                          kRestForPart * inference_.parts());
  return accused;
}

// By a person, whichever rule accused it.
bool Veto::is_acquitted(const SharedCause& cause) const {
  const std::vector<Rule>& rules = context_.rules->rules();
  return std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) {
    if (rule.kind != RuleKind::cause || !rule.is_of_disks() ||
        rule.in_common.empty() == (cause.hub == blame::HubKind::machine))
      return false;
    const std::vector<std::string> accused = cause.accused_by(rule);
    return std::any_of(accused.begin(), accused.end(), [&](const std::string& one) {
      return conditions_.is_acquitted({one, rule.name}, context_.now.wall_ns);
    });
  });
}

void Veto::look_by(int64_t at_ns) {
  next_look_ns_ = std::min(next_look_ns_.value_or(at_ns), at_ns);
}

// There may be thousands of cases, so a text changes only when its number of disks has changed by a
// tenth.
void Veto::doubt(Case& c, const SharedCause& cause) {
  Shown& shown = vetoed_[c.uuid];
  const size_t least = std::min(shown.disks, cause.disks.size()),
               most = std::max(shown.disks, cause.disks.size());
  if (shown.name == cause.names.front() && least > 0 && most * 10 < least * 11) return;
  shown = {cause.names.front(), cause.disks.size()};
  const bool is_new = !shows_doubt(c);
  const std::string text = why(context_.inventory, cause);
  set(c, text);
  if (is_new) book_.say(c, "note", "not decided: " + text);
}

// When fmd acts on the case, which is late enough to see whether more disks fail. Steady; nullopt: at once.
std::optional<int64_t> Veto::acts_at(const Case& c) const {
  const auto since = inference_.shareable_since(c.uuid);
  const int64_t at_ns = since ? add_times(*since, kLeastDoubt) : 0;
  return at_ns > context_.now.steady_ns ? std::optional(at_ns) : std::nullopt;
}

void Veto::wait_until(Case& c, std::optional<int64_t> steady_ns) {
  if (steady_ns) {
    waiting_.insert(c.uuid);
    look_by(*steady_ns);
  } else {
    waiting_.erase(c.uuid);
  }
  if (steady_ns.has_value() == (c.acts_at_ns > 0)) return;
  c.acts_at_ns =
      steady_ns ? add_times(context_.now.wall_ns, *steady_ns - context_.now.steady_ns) : 0;
  book_.touch(c);
}

void Veto::lift(Case& c, const std::string& reason) {
  vetoed_.erase(c.uuid);
  const bool was_doubted = shows_doubt(c);
  set(c, "");
  if (was_doubted) book_.say(c, "note", "decided: " + reason);
}

void Veto::set(Case& c, const std::string& why) {
  bool changed = false;
  for (Suspect& s : c.suspects) {
    const std::string now = s.status == SuspectStatus::faulty ? why : std::string();
    changed |= std::exchange(s.undecided, now) != now;
  }
  if (!changed) return;
  choose_texts(context_, c);
  book_.touch(c);
}

}  // namespace fmd
