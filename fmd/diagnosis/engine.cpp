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

void Engine::Impl::begin(int64_t now) {
  const bool back = now < now_ns;
  now_ns = now;
  if (back) clock_went_back();
  if (!recheck_all) return;
  recheck_all = false;
  for (const auto& [fmri, r] : inventory.all()) recheck.push_back(fmri);
}

// A hold that began "later than now" would last until the clock is there again: it begins anew.
void Engine::Impl::clock_went_back() {
  for (auto& [key, hold] : holds) {
    if (hold.started_ns <= add_times(now_ns, kSecondNs)) continue;
    const int64_t length = hold.deadline_ns - hold.started_ns;
    hold.started_ns = now_ns;
    set_deadline(key, hold, add_times(now_ns, length));
  }
  for (const std::string& uuid : timed) {
    Case& c = cases.find(uuid)->second;
    if (c.last_evidence_ns <= add_times(now_ns, kSecondNs)) continue;
    c.last_evidence_ns = now_ns;
    dirty_evidence.insert(uuid);
  }
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
  call_news.push_back({std::move(event), c.uuid, now_ns});
}

void Engine::Impl::touch(Case& c) {
  c.updated_ns = now_ns;
  dirty_cases.insert(c.uuid);
}

bool Engine::Impl::add_evidence(Case& c, const Evidence& evidence) {
  if (!c.add_evidence(evidence)) return false;
  c.last_evidence_ns = now_ns;
  dirty_evidence.insert(c.uuid);
  return true;
}

void Engine::Impl::say(Case& c, std::string_view kind, std::string_view text) {
  c.add_timeline(now_ns, kind, text);
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

void Engine::on_event(const Event& event, int64_t now_ns) {
  const Impl::Call call(*impl_, now_ns);
  impl_->take_event(event);
}

std::vector<InventoryChange> Engine::on_inventory(const InventoryUpdate& update, int64_t now_ns) {
  const Impl::Call call(*impl_, now_ns);
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

void Engine::on_time(int64_t now_ns) {
  const Impl::Call call(*impl_, now_ns);
  while (!impl_->deadlines.empty() && impl_->deadlines.begin()->first <= now_ns) {
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

void Engine::record_action(std::string_view uuid, std::string_view name, Action action,
                           std::string_view text, int64_t now_ns) {
  const Impl::Call call(*impl_, now_ns);
  const auto at = impl_->cases.find(uuid);
  if (at == impl_->cases.end()) return;
  Case& c = at->second;
  if (!text.empty()) impl_->say(c, name, text);
  if (action.state.empty())
    c.actions.erase(std::string(name));
  else
    c.actions[std::string(name)] = std::move(action);
  impl_->touch(c);
  impl_->isolate_if_due(c);
  if (c.state == CaseState::repaired) impl_->resolve_if_due(c);
}

void Engine::note(std::string_view uuid, std::string_view kind, std::string_view text,
                  int64_t now_ns) {
  const Impl::Call call(*impl_, now_ns);
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
