#include "fmd/diagnosis/case_book.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "fmd/model/ended_action.h"
#include "fmd/model/event_schema.h"

namespace fmd {
namespace {

int news_rank(std::string_view event) {
  return event == "resolved" ? 4 : event == "repaired" ? 3 : event == "diagnosed" ? 2 : 1;
}

bool by_uuid(const Case* a, const Case* b) {
  return a->uuid < b->uuid;
}

template <class Index, class Name>
const CaseBook::List& found_in(const Index& index, const Name& name) {
  static const CaseBook::List kNone;
  const auto at = index.find(name);
  return at == index.end() ? kNone : at->second;
}

}  // namespace

bool is_earlier(const Case& a, const Case& b) {
  return std::tie(a.solved_steady_ns, a.uuid) < std::tie(b.solved_steady_ns, b.uuid);
}

void CaseBook::end() {
  if (call_news_.empty()) return;
  std::map<std::string_view, size_t> furthest;
  for (size_t i = 0; i < call_news_.size(); ++i) {
    const auto [best, is_new] = furthest.try_emplace(call_news_[i].uuid, i);
    if (!is_new && news_rank(call_news_[i].event) >= news_rank(call_news_[best->second].event))
      best->second = i;
  }
  for (size_t i = 0; i < call_news_.size(); ++i)
    if (furthest.at(call_news_[i].uuid) == i) news_.push_back(call_news_[i]);
  call_news_.clear();
}

Case* CaseBook::find(std::string_view uuid) {
  const auto at = cases_.find(uuid);
  return at == cases_.end() ? nullptr : &at->second;
}

const Case* CaseBook::find(std::string_view uuid) const {
  const auto at = cases_.find(uuid);
  return at == cases_.end() ? nullptr : &at->second;
}

const CaseBook::List& CaseBook::by(By name, std::string_view fmri) const {
  return found_in(index_[static_cast<size_t>(name)], fmri);
}

const CaseBook::List& CaseBook::about(const Interned& resource) const {
  if (answer_ && resource == asked_for_) return *answer_;
  answer_ = &found_in(index_[static_cast<size_t>(By::resource)], resource);
  asked_for_ = resource;
  return *answer_;
}

bool CaseBook::any_repaired_by(std::string_view event_class) const {
  const Index& classes = index_[static_cast<size_t>(By::event)];
  return std::any_of(classes.begin(), classes.end(),
                     [&](const auto& one) { return class_matches(one.first, event_class); });
}

CaseBook::List CaseBook::open_cases() {
  List out;
  for (const auto& [uuid, names] : filed_) out.push_back(find(uuid));
  return out;
}

Case& CaseBook::open(std::string uuid, const std::string& resource) {
  Case& c = cases_[uuid];
  c.uuid = std::move(uuid);
  c.opened_ns = now_.wall_ns;
  c.last_evidence_ns = now_.steady_ns;
  by_age_.insert(&c);
  dirty_evidence_.insert(c.uuid);
  file_waiting(c, resource);
  touch(c);
  return c;
}

void CaseBook::discard(Case& c) {
  take_out(c);
  has_changed(c.uuid);
  dirty_evidence_.insert(c.uuid);
  // Events count for the case that explains this one only as long as this one exists: a start could
  // not count them again.
  if (find(c.explained_by)) dirty_evidence_.insert(c.explained_by);
  std::erase(going_on_, &c);
  std::erase(uncounted_, &c);
  by_age_.erase(&c);
  cases_.erase(cases_.find(c.uuid));
}

bool CaseBook::forget(std::string_view uuid) {
  Case* c = find(uuid);
  if (!c || c->open()) return false;
  discard(*c);
  return true;
}

void CaseBook::touch(Case& c) {
  c.updated_ns = now_.wall_ns;
  has_changed(c.uuid);
  if (c.open()) file(c);
}

void CaseBook::has_changed(const std::string& uuid) {
  dirty_cases_.insert(uuid);
  due_.insert(uuid);
  touched_.insert(uuid);
}

void CaseBook::say(Case& c, std::string_view kind, std::string_view text) {
  c.add_timeline(now_.wall_ns, kind, text);
  touch(c);
}

void CaseBook::tell(std::string event, const Case& c) {
  call_news_.push_back({std::move(event), c.uuid, now_.wall_ns});
}

bool CaseBook::add_evidence(Case& c, const Evidence& evidence) {
  if (!c.add_evidence(evidence)) return false;
  lasts(c);
  if (!std::exchange(c.uncounted, true)) uncounted_.push_back(&c);
  return true;
}

void CaseBook::recount_evidence(Case& c, const Evidence& evidence) {
  const auto at = restored_up_to_.find(c.uuid);
  if (at == restored_up_to_.end() || evidence.seq > at->second) add_evidence(c, evidence);
}

void CaseBook::goes_on(Case& c) {
  lasts(c);
  dirty_evidence_.insert(c.uuid);
}

void CaseBook::lasts(Case& c) {
  c.last_evidence_ns = now_.steady_ns;
  if (!std::exchange(c.goes_on, true)) going_on_.push_back(&c);
  if (c.repair_after_ns > 0) set_quiet(c);
}

void CaseBook::resolve(Case& c, std::string_view kind, std::string_view text) {
  take_out(c);
  c.state = CaseState::resolved;
  for (Action& action : c.actions) action = ended(action);
  c.resolved_ns = now_.wall_ns;
  say(c, kind, text);
  tell("resolved", c);
}

void CaseBook::regroup(std::string_view asru) {
  const List about = by(By::asru, asru);
  for (Case* c : about) file(*c);
}

Case* CaseBook::take_quiet() {
  const std::optional<std::string> uuid = quiet_.take_due(now_.steady_ns);
  return uuid ? find(*uuid) : nullptr;
}

std::vector<CaseNews> CaseBook::take_news() {
  return std::exchange(news_, {});
}

std::vector<const Case*> CaseBook::take_going_on() {
  const List marked = take_marked(going_on_, &Case::goes_on);
  return {marked.begin(), marked.end()};
}

// Rows written since then are no longer marked.
CaseBook::List CaseBook::take_marked(List& marked, bool Case::*mark) {
  List out = std::exchange(marked, {});
  std::erase_if(out, [&](Case* c) { return !std::exchange(c->*mark, false); });
  return out;
}

// --- names

std::set<CaseBook::Name> CaseBook::names_of(const Case& c) const {
  std::set<Name> names;
  const auto add = [&](By name, const std::string& fmri) {
    if (!fmri.empty()) names.emplace(name, fmri);
  };
  if (const auto at = waiting_.find(c.uuid); at != waiting_.end()) add(By::resource, at->second);
  for (const Suspect& s : c.suspects) {
    add(By::resource, s.resource);
    add(By::asru, s.asru);
    if (!s.fru.empty() || s.status == SuspectStatus::faulty) names.emplace(By::fru, s.fru);
    add(By::bay, s.bay);
    for (const std::string& event_class : s.repair_on.classes) add(By::event, event_class);
    if (const Resource* asru = inventory_.find(s.asru)) add(By::group, asru->get("group"));
  }
  return names;
}

void CaseBook::file(Case& c) {
  if (c.state != CaseState::unsolved) waiting_.erase(c.uuid);
  refile(c, names_of(c));
  open_by_age_.insert(&c);
  set_quiet(c);
}

void CaseBook::take_out(Case& c) {
  refile(c, {});
  open_by_age_.erase(&c);
  filed_.erase(c.uuid);
  waiting_.erase(c.uuid);
  quiet_.erase(c.uuid);
}

void CaseBook::refile(Case& c, const std::set<Name>& names) {
  std::set<Name>& known = filed_[c.uuid];
  if (known == names) return;
  answer_ = nullptr;
  for (const Name& name : known) {
    if (names.count(name)) continue;
    Index& index = index_[static_cast<size_t>(name.first)];
    const auto at = index.find(name.second);
    std::erase(at->second, &c);
    if (at->second.empty()) index.erase(at);
  }
  for (const Name& name : names) {
    if (known.count(name)) continue;
    List& list = index_[static_cast<size_t>(name.first)][name.second];
    list.insert(std::upper_bound(list.begin(), list.end(), &c, by_uuid), &c);
  }
  known = names;
}

void CaseBook::set_quiet(const Case& c) {
  if (c.repair_after_ns > 0 && c.state != CaseState::unsolved && c.faulty())
    quiet_.set(c.uuid, add_times(c.last_evidence_ns, c.repair_after_ns));
  else
    quiet_.erase(c.uuid);
}

void CaseBook::file_waiting(Case& c, const std::string& resource) {
  waiting_[c.uuid] = resource;
  file(c);
}

void CaseBook::file_restored() {
  for (auto& [uuid, c] : cases_)
    if (c.open()) file(c);
}

}  // namespace fmd
