#include "fmd/notify/telling.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/notify/case_event.h"
#include "fmd/notify/case_telling.h"

namespace fmd {
namespace {

constexpr std::string_view kLate =
    "It was found while maintenance held messages back, and is still so after its end.";

bool lacks_place(const Suspect& s) {
  return s.status == SuspectStatus::faulty && (s.serial.empty() || s.location.empty());
}

bool may_learn_place(const Case& c, const Telling::Expected& expected) {
  return std::any_of(c.suspects.begin(), c.suspects.end(),
                     [&](const Suspect& s) { return lacks_place(s) && expected(s); });
}

// A command is in progress, whose success can be reported in a moment.
bool acts_now(const Case& c) {
  return std::any_of(c.actions.begin(), c.actions.end(),
                     [](const Action& a) { return a.state == ActionState::running; });
}

bool first_may_wait(const CaseTelling& telling, const Case& c, const Telling::Expected& expected,
                    Moment now) {
  if ((c.is_being_compared() || may_learn_place(c, expected)) &&
      !telling.first_is_overdue(now.steady_ns))
    return true;
  return acts_now(c) && now.steady_ns < telling.first_acts_by_ns();
}

}  // namespace

std::string over_before_told(CaseEvent ending) {
  return ending == CaseEvent::resolved
             ? "This is the only message about it: it was over before one was sent."
             : "This is the first message about it: it was repaired before one was sent.";
}

struct Telling::Impl {
  std::map<std::string, CaseTelling, std::less<>> tellings;
  std::set<std::pair<int64_t, std::string>> deadlines;  // steady, uuid
  std::set<std::string, std::less<>> waiting;           // uuids whose first message waits
  std::set<std::string> dirty;
  std::set<std::string, std::less<>> held;  // uuids under maintenance, without deadline or turn
  std::set<std::string, std::less<>> late;  // were held before their first message
  std::vector<Withheld> withheld;
  std::optional<int64_t> cut_ns;  // due() left some for its next call, at that time

  // All changes of a telling go through here: updates its row and deadline.
  template <class Change>
  void change(const std::string& uuid, CaseTelling& telling, Change&& apply) {
    const CaseTelling before = telling;
    apply(telling);
    if (telling == before) return;
    dirty.insert(uuid);
    unlist(uuid, before);
    if (telling.ending()) held.erase(uuid);
    list(uuid, telling);
  }
  void put(const std::string& uuid, CaseTelling telling) {
    erase(uuid);
    list(uuid, telling);
    tellings.emplace(uuid, std::move(telling));
    dirty.insert(uuid);
  }
  void erase(const std::string& uuid) {
    const auto at = tellings.find(uuid);
    if (at == tellings.end()) return;
    unlist(uuid, at->second);
    held.erase(uuid);
    late.erase(uuid);
    tellings.erase(at);
    dirty.insert(uuid);
  }
  void list(const std::string& uuid, const CaseTelling& telling) {
    if (held.count(uuid) != 0) return;
    if (const auto at = telling.deadline_ns()) deadlines.emplace(*at, uuid);
    if (telling.waits_for_first()) waiting.insert(uuid);
  }
  void unlist(const std::string& uuid, const CaseTelling& telling) {
    if (const auto at = telling.deadline_ns()) deadlines.erase({*at, uuid});
    waiting.erase(uuid);
  }

  bool waits_on(const std::string& uuid, const Case& c, const Expected& expected, Moment now) const;
  std::optional<Tidings> release(const std::string& uuid, CaseTelling& telling, const Case& c,
                                 const Expected& expected, Moment now);
  bool hold_back(const std::string& uuid, const CaseTelling& telling);
};

Telling::Telling() : impl_(std::make_unique<Impl>()) {}
Telling::~Telling() = default;

void Telling::take(const CaseNews& news, const Case& c, Moment now) {
  const auto event = parse_case_event(news.event);
  if (!event || c.information) return;
  if (*event == CaseEvent::diagnosed) {
    CaseTelling telling = CaseTelling::of_verdict(c, news.time_ns, now.steady_ns);
    telling.look(c, now.steady_ns);
    impl_->put(news.uuid, std::move(telling));
    return;
  }
  const bool over = *event == CaseEvent::resolved;
  if (!impl_->tellings.count(news.uuid)) {
    if (!over && !c.open()) return;  // its end has been reported
    impl_->put(news.uuid, CaseTelling::of_told(c));
  }
  CaseTelling& telling = impl_->tellings.find(news.uuid)->second;
  impl_->change(news.uuid, telling, [&](CaseTelling& t) {
    if (*event == CaseEvent::updated)
      t.diagnosis_has_news();
    else
      t.ends(*event, c, news.time_ns, now.steady_ns);
    t.look(c, now.steady_ns);
  });
}

void Telling::looked(const Case& c, Moment now) {
  if (c.state == CaseState::unsolved || c.information) return;
  const auto at = impl_->tellings.find(c.uuid);
  if (at == impl_->tellings.end()) {
    if (!c.open()) return;
    CaseTelling telling = CaseTelling::of_told(c);
    telling.look(c, now.steady_ns);
    impl_->put(c.uuid, std::move(telling));
    return;
  }
  impl_->change(c.uuid, at->second, [&](CaseTelling& t) { t.look(c, now.steady_ns); });
}

void Telling::relief_not_sent(const Case& c, Moment now) {
  const auto at = impl_->tellings.find(c.uuid);
  if (at == impl_->tellings.end()) return;
  impl_->change(c.uuid, at->second, [&](CaseTelling& t) { t.relief_not_sent(c, now.steady_ns); });
}

// Whether the first message still waits. Cheap, since very many cases may wait.
bool Telling::Impl::waits_on(const std::string& uuid, const Case& c, const Expected& expected,
                             Moment now) const {
  const CaseTelling& telling = tellings.find(uuid)->second;
  return telling.waits_for_first() && !telling.ending() &&
         first_may_wait(telling, c, expected, now);
}

// The message that is due about the case, if any.
std::optional<Tidings> Telling::Impl::release(const std::string& uuid, CaseTelling& telling,
                                              const Case& c, const Expected& expected, Moment now) {
  Tidings tidings;
  const auto message = [&](CaseEvent event, int64_t wall_ns) {
    tidings.news = {std::string(case_event_name(event)), uuid, wall_ns};
    // Pending changes are about the state that has just ended, so an ending omits them.
    if (event != CaseEvent::repaired && event != CaseEvent::resolved)
      tidings.whats_new = telling.whats_new();
    if (c.faulty()) tidings.not_done = telling.not_done(c);
    telling.told(c, event, now.steady_ns);
    return tidings;
  };
  telling.look(c, now.steady_ns);
  if (telling.ending() == CaseEvent::repaired && c.faulty()) telling.goes_on();
  if (const auto ending = telling.ending()) {
    if (telling.ending_waits(c, now.steady_ns)) return {};
    const bool unheard_of = telling.waits_for_first();
    message(*ending, telling.news_wall_ns());
    // A merged case that was never reported: the other case's messages cover it.
    if (unheard_of && !c.merged_into.empty()) return {};
    if (unheard_of) tidings.whats_new = {over_before_told(*ending)};
    tidings.covered_by = c.superseded_by;
    return tidings;
  }
  if (telling.waits_for_first()) {
    telling.at(now.steady_ns);
    if (first_may_wait(telling, c, expected, now)) return {};
    return message(CaseEvent::diagnosed, telling.news_wall_ns());
  }
  if (!telling.update_is_due(now.steady_ns)) return {};
  return message(CaseEvent::updated, now.wall_ns);
}

// Everything waits except the end of a reported case, which is sent at once, and the end of an
// unreported one, which is only recorded.
bool Telling::Impl::hold_back(const std::string& uuid, const CaseTelling& telling) {
  const auto ending = telling.ending();
  if (ending && (!telling.waits_for_first() || *ending == CaseEvent::resolved)) return false;
  if (!telling.waits_for_first() && telling.whats_new().empty()) return false;
  unlist(uuid, telling);
  held.insert(uuid);
  withheld.push_back({uuid, telling.waits_for_first() ? CaseEvent::diagnosed : CaseEvent::updated});
  return true;
}

std::vector<Telling::Withheld> Telling::take_withheld() {
  return std::exchange(impl_->withheld, {});
}

void Telling::let_go() {
  for (const std::string& uuid : std::exchange(impl_->held, {})) {
    const auto at = impl_->tellings.find(uuid);
    if (at == impl_->tellings.end()) continue;
    if (at->second.waits_for_first()) impl_->late.insert(uuid);
    impl_->list(uuid, at->second);
  }
}

std::vector<Tidings> Telling::due(const FindCase& find, const Expected& expected, Moment now,
                                  const Held& held) {
  std::vector<std::string> uuids;  // the longest due first
  std::set<std::string_view> listed;
  const auto list = [&](const std::string& uuid) {
    if (listed.insert(uuid).second) uuids.push_back(uuid);
  };
  for (const auto& [at, uuid] : impl_->deadlines) {
    if (at > now.steady_ns) break;
    list(uuid);
  }
  for (const std::string& uuid : impl_->waiting)
    if (const Case* c = find(uuid);
        !c || (held && held(*c)) || !impl_->waits_on(uuid, *c, expected, now))
      list(uuid);
  std::vector<Tidings> out;
  impl_->cut_ns.reset();
  for (const std::string& uuid : uuids) {
    if (out.size() == kMostAtOnce) {
      impl_->cut_ns = now.steady_ns;
      break;
    }
    CaseTelling& telling = impl_->tellings.find(uuid)->second;
    const Case* c = find(uuid);
    if (!c) {
      impl_->erase(uuid);
      continue;
    }
    const bool under_work = held && held(*c);
    if (under_work)
      impl_->change(uuid, telling, [&](CaseTelling& t) { t.look(*c, now.steady_ns); });
    if (under_work && impl_->hold_back(uuid, telling)) continue;
    const bool unheard_of = telling.waits_for_first();
    impl_->change(uuid, telling, [&](CaseTelling& t) {
      auto tidings = impl_->release(uuid, t, *c, expected, now);
      if (!tidings) return;
      if (under_work && unheard_of) tidings->unsent = "it was over before the maintenance ended";
      const bool is_so = tidings->news.event == case_event_name(CaseEvent::diagnosed);
      if (impl_->late.erase(uuid) != 0 && unheard_of && is_so)
        tidings->whats_new.insert(tidings->whats_new.begin(), std::string(kLate));
      out.push_back(std::move(*tidings));
    });
    if (!c->open() && !telling.ending()) impl_->erase(uuid);
  }
  std::stable_sort(out.begin(), out.end(), [](const Tidings& a, const Tidings& b) {
    return a.news.time_ns < b.news.time_ns;
  });
  return out;
}

std::optional<int64_t> Telling::next_deadline_ns() const {
  if (impl_->cut_ns || impl_->deadlines.empty()) return impl_->cut_ns;
  return impl_->deadlines.begin()->first;
}

void Telling::forget_case(std::string_view uuid) {
  impl_->erase(std::string(uuid));
}

std::vector<StateRow> Telling::take_changes() {
  std::vector<StateRow> rows;
  for (const std::string& uuid : impl_->dirty) {
    const auto at = impl_->tellings.find(uuid);
    rows.push_back(
        {"telling", uuid, at == impl_->tellings.end() ? std::string() : at->second.to_json_text()});
  }
  impl_->dirty.clear();
  return rows;
}

void Telling::mark_all_changed() {
  for (const auto& [uuid, telling] : impl_->tellings) impl_->dirty.insert(uuid);
}

Result<void> Telling::restore(const std::vector<StateRow>& rows) {
  Result<void> outcome;  // one unreadable row must not silence the other cases
  for (const StateRow& row : rows) {
    if (row.kind != "telling") continue;
    auto telling = CaseTelling::from_json(nlohmann::json::parse(row.doc, nullptr, false));
    if (!telling) {
      outcome = fail(fmt::format("the row of case {} is left out: {}", display(row.key),
                                 telling.error().message));
      continue;
    }
    impl_->list(row.key, *telling);
    impl_->tellings.insert_or_assign(row.key, std::move(*telling));
  }
  return outcome;
}

}  // namespace fmd
