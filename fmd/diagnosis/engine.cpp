#include "fmd/diagnosis/engine.h"

#include <algorithm>

#include "fmd/base/duration.h"
#include "fmd/base/text.h"
#include "fmd/diagnosis/engine_impl.h"

namespace fmd {
namespace {

int news_rank(std::string_view event) {
  return event == "resolved" ? 4 : event == "repaired" ? 3 : event == "diagnosed" ? 2 : 1;
}

}  // namespace

Engine::Engine(std::shared_ptr<const RuleSet> rules, std::function<std::string()> new_uuid)
    : impl_(std::make_unique<Impl>()) {
  impl_->rules = std::move(rules);
  impl_->new_uuid = std::move(new_uuid);
}

Engine::~Engine() = default;

void Engine::Impl::begin(Moment at) {
  now = at;
  if (!recheck_all) return;
  recheck_all = false;
  for (const auto& [fmri, r] : inventory.all()) recheck.push_back(fmri);
}

void Engine::Impl::end() {
  // A verdict may resolve another case, whose part may then be looked at again: a short chain.
  for (size_t i = 0; i < recheck.size(); ++i) {
    const std::string resource = recheck[i];
    check_conditions(resource);
  }
  recheck.clear();
  coalesce_news();
  if (sweep_due) sweep();
  sweep_due = false;
}

// One message a case and call: the furthest that it came.
void Engine::Impl::coalesce_news() {
  for (size_t i = 0; i < call_news.size(); ++i) {
    const CaseNews& mine = call_news[i];
    const bool outdone =
        std::any_of(call_news.begin(), call_news.end(), [&](const CaseNews& other) {
          const bool later = &other > &mine;
          const int a = news_rank(other.event), b = news_rank(mine.event);
          return other.uuid == mine.uuid && (a > b || (a == b && later));
        });
    if (!outdone) news.push_back(mine);
  }
  call_news.clear();
}

void Engine::Impl::tell(std::string event, const Case& c) {
  call_news.push_back({std::move(event), c.uuid, now.wall_ns});
}

void Engine::Impl::touch(Case& c) {
  c.updated_ns = now.wall_ns;
  dirty_cases.insert(c.uuid);
}

bool Engine::Impl::add_evidence(Case& c, const Evidence& evidence) {
  if (!c.add_evidence(evidence)) return false;
  c.last_evidence_ns = now.steady_ns;
  dirty_evidence.insert(c.uuid);
  return true;
}

void Engine::Impl::say(Case& c, std::string_view kind, std::string_view text) {
  c.add_timeline(now.wall_ns, kind, text);
  touch(c);
}

std::string Engine::Impl::name_of(const Resource& r) {
  for (const std::string_view property : {"name", "label", "serial"})
    if (const std::string name = r.get(property); !name.empty()) return display(name);
  return display(r.fmri);
}

std::string Engine::Impl::name_of(const std::string& fmri) const {
  const Resource* r = inventory.find(fmri);
  return r ? name_of(*r) : display(fmri);
}

void Engine::on_event(const Event& event, Moment now) {
  const Impl::Call call(*impl_, now);
  impl_->take_event(event);
}

std::vector<InventoryChange> Engine::on_inventory(const InventoryUpdate& update, Moment now) {
  const Impl::Call call(*impl_, now);
  std::vector<InventoryChange> changes = impl_->inventory.apply(update);
  if (changes.empty()) return changes;
  for (const InventoryChange& change : changes) {
    if (change.kind == InventoryChange::Kind::removed) impl_->gone(change);
    impl_->repair_by_state(change.fmri);
    impl_->recheck.push_back(change.fmri);
  }
  impl_->fill_suspects();
  impl_->repair_swapped();
  for (auto& [uuid, c] : impl_->cases)
    if (c.state == CaseState::repaired) impl_->resolve_if_due(c);
  return changes;
}

void Engine::on_time(Moment now) {
  const Impl::Call call(*impl_, now);
  while (!impl_->deadlines.empty() && impl_->deadlines.begin()->first <= now.steady_ns) {
    const Impl::Key key = impl_->deadlines.begin()->second;
    impl_->finish_hold(key);
  }
  impl_->quiet_cases();
}

std::optional<int64_t> Engine::next_deadline_ns() const {
  std::optional<int64_t> next;
  if (!impl_->deadlines.empty()) next = impl_->deadlines.begin()->first;
  for (const std::string& uuid : impl_->timed) {
    const Case& c = impl_->cases.find(uuid)->second;
    const int64_t at = add_times(c.last_evidence_ns, c.repair_after_ns);
    if (!next || at < *next) next = at;
  }
  return next;
}

void Engine::record_action(std::string_view uuid, Action action, std::string_view text,
                           Moment now) {
  const Impl::Call call(*impl_, now);
  const auto at = impl_->cases.find(uuid);
  if (at == impl_->cases.end()) return;
  Case& c = at->second;
  if (!text.empty()) impl_->say(c, action_name(action.kind), text);
  c.set_action(std::move(action));
  impl_->touch(c);
  impl_->isolate_if_due(c);
  impl_->resolve_if_due(c);
}

void Engine::set_owed(std::string_view uuid, uint32_t owed, Moment now) {
  const Impl::Call call(*impl_, now);
  const auto at = impl_->cases.find(uuid);
  if (at == impl_->cases.end() || at->second.owed == owed) return;
  at->second.owed = owed;
  impl_->touch(at->second);
  impl_->resolve_if_due(at->second);
}

void Engine::note(std::string_view uuid, std::string_view kind, std::string_view text, Moment now) {
  const Impl::Call call(*impl_, now);
  if (const auto at = impl_->cases.find(uuid); at != impl_->cases.end())
    impl_->say(at->second, kind, text);
}

const Inventory& Engine::inventory() const {
  return impl_->inventory;
}

const std::map<std::string, Case, std::less<>>& Engine::cases() const {
  return impl_->cases;
}

const Case* Engine::find_case(std::string_view uuid) const {
  const auto at = impl_->cases.find(uuid);
  return at == impl_->cases.end() ? nullptr : &at->second;
}

namespace {

template <class Which>
std::vector<const Case*> cases_where(const std::map<std::string, Case, std::less<>>& cases,
                                     const Which& which) {
  std::vector<const Case*> out;
  for (const auto& [uuid, c] : cases)
    if (c.open() && std::any_of(c.suspects.begin(), c.suspects.end(), which)) out.push_back(&c);
  std::stable_sort(out.begin(), out.end(), [](const Case* a, const Case* b) {
    return a->solved_steady_ns > b->solved_steady_ns;
  });
  return out;
}

}  // namespace

std::vector<const Case*> Engine::cases_by_asru(std::string_view fmri) const {
  return cases_where(impl_->cases, [&](const Suspect& s) { return s.asru == fmri; });
}
std::vector<const Case*> Engine::cases_by_fru(std::string_view fmri) const {
  return cases_where(impl_->cases, [&](const Suspect& s) { return s.fru == fmri; });
}
std::vector<const Case*> Engine::cases_by_bay(std::string_view fmri) const {
  return cases_where(impl_->cases, [&](const Suspect& s) { return s.bay == fmri; });
}
std::vector<const Case*> Engine::cases_by_group(std::string_view fmri) const {
  return cases_where(impl_->cases, [&](const Suspect& s) {
    const Resource* asru = impl_->inventory.find(s.asru);
    return asru && asru->get("group") == fmri;
  });
}

std::vector<SerdView> Engine::serd_engines() const {
  std::vector<SerdView> out;
  for (const auto& [resource, part] : impl_->parts)
    for (const Impl::Slot& slot : part.slots)
      out.push_back({impl_->rules->rules()[slot.rule].name, resource, slot.serd.count(),
                     slot.serd.n(), slot.serd.within_ns(), slot.serd.oldest_ns(),
                     slot.serd.newest_ns(), slot.serd.fired()});
  std::sort(out.begin(), out.end(), [](const SerdView& a, const SerdView& b) {
    return std::tie(a.rule, a.resource) < std::tie(b.rule, b.resource);
  });
  return out;
}

std::vector<CaseNews> Engine::take_news() {
  return std::exchange(impl_->news, {});
}

void Engine::forget_case(std::string_view uuid) {
  const auto at = impl_->cases.find(uuid);
  if (at == impl_->cases.end() || at->second.open()) return;
  impl_->dirty_cases.insert(at->second.uuid);
  impl_->dirty_evidence.insert(at->second.uuid);
  impl_->cases.erase(at);
}

}  // namespace fmd
