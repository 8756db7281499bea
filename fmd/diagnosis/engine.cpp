// Engine: the coordinator. The order of the steps is here; the meaning is in the parts.
#include "fmd/diagnosis/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/diagnosis/engine_impl.h"
#include "fmd/diagnosis/suspects.h"
#include "fmd/model/part_name.h"

namespace fmd {
namespace {

bool concerns(const Rule& rule, const Payload& payload) {
  for (const auto& [member, values] : rule.where)
    if (!is_among(payload, member, values)) return false;
  for (const auto& [member, values] : rule.where_not)
    if (is_among(payload, member, values)) return false;
  return true;
}

bool is_evidence_for(const Case& c, const Rule& rule, const std::string& resource) {
  if (std::find(c.rules.begin(), c.rules.end(), rule.name) == c.rules.end()) return false;
  if (c.state == CaseState::unsolved) return true;
  return std::any_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
    return s.resource == resource && s.status == SuspectStatus::faulty;
  });
}

}  // namespace

Engine::Engine(std::shared_ptr<const RuleSet> rules, std::function<std::string()> new_uuid)
    : impl_(std::make_unique<Impl>(std::move(new_uuid))) {
  set_rules(std::move(rules));
  impl_->look_at_all = false;
}

Engine::~Engine() = default;

void Engine::set_rules(std::shared_ptr<const RuleSet> rules) {
  Impl& i = *impl_;
  i.recounts = i.recounts && i.last_seq == i.counted_to.value_or(0);
  i.context.rules = std::move(rules);
  i.serds.set_rules(i.context.rules);
  i.conditions.set_rules(i.context.rules);
  const std::map<RuleKey, Hold> waiting = i.holds.all();
  for (const auto& [key, hold] : waiting)
    if (!i.context.rules->find(key.rule)) i.verdicts.cancel_hold(key);
  i.look_at_all = true;
}

void Engine::set_bay_history(const BayHistory* bays) {
  impl_->context.bays = bays;
}

void Engine::Impl::begin(Moment now) {
  context.now = now;
  context.new_here.clear();
  book.begin(now);
  if (!std::exchange(look_at_all, false)) return;
  for (const auto& [fmri, r] : context.inventory.all()) {
    context.recheck.push_back(fmri);
    if (r.present) context.paths.observe(context.inventory, r);
  }
  for (Case* c : book.open_cases()) folding.learn(*c);
  holds.look_at_all_causes();
  note_touched();
  book.touch_all();
  const std::set<std::string> all =
      book.take_touched();  // none has changed, so the inference learns nothing
  veto.restored(all);
  note_due(all);
}

void Engine::Impl::end() {
  settle();
  weigh();
  serds.sweep_if_due(context.now.wall_ns);
  book.end();
}

void Engine::Impl::weigh() {
  for (const SharedCause& cause : veto.weigh()) verdicts.accuse(cause);
  if (any_to_settle()) settle();
}

void Engine::Impl::settle() {
  // A verdict may resolve another case, whose part must then be examined: a short chain.
  size_t looked = 0;
  do {
    repairs.drop_ended_holds();
    for (; looked < context.recheck.size(); ++looked) {
      const std::string fmri = context.recheck[looked];
      const Resource* r = context.inventory.find(fmri);
      if (!r) continue;
      bool known = holds.any_about(fmri) || conditions.any_about(fmri);
      for (const uint32_t rule : context.rules->for_type(r->type))
        known |= look(context.rules->rules()[rule], *r, known);
    }
    if (!any_to_settle()) break;  // as after most events of a storm
    settle_causes();
    note_touched();
  } while (looked < context.recheck.size());
  context.recheck.clear();
}

bool Engine::Impl::any_to_settle() const {
  return book.any_touched() || holds.any_changed() || verdicts.any_due() || !causes_due.empty();
}

// --- events

void Engine::count_from(const std::string& source, int64_t from_ns) {
  impl_->evidence_start.set(source, from_ns);
}

void Engine::count_others_from(int64_t from_ns) {
  impl_->evidence_start.set_others(from_ns);
}

void Engine::on_event(const Event& event, Moment now) {
  const Impl::Call call(*impl_, now);
  impl_->last_seq = std::max(impl_->last_seq, event.seq);
  if (!impl_->evidence_start.is_history(event)) impl_->take_event(event);
}

void Engine::Impl::take_event(const Event& event) {
  const ClassRoles& roles = context.rules->roles(event.event_class);
  if (!book.about(event.resource).empty()) {
    for (const uint32_t i : roles.unless)
      verdicts.cancel_hold({event.resource, context.rules->rules()[i].name});
    repairs.by_event(event);
  }
  for (const uint32_t i : roles.reset) serds.reset(context.rules->rules()[i].name, event.resource);
  counted_for.clear();
  for (const uint32_t i : roles.evidence)
    if (concerns(context.rules->rules()[i], event.payload)) take_evidence(i, event);
}

void Engine::Impl::take_evidence(uint32_t index, const Event& event) {
  const Rule& rule = context.rules->rules()[index];
  add_evidence(rule, event, false);
  if (rule.kind == RuleKind::immediate) {
    inference.count(index, event.resource);
    return verdicts.conclude(
        {rule, event.resource, {{event.seq, event.time_ns, event.event_class}}, &event});
  }
  const SerdBank::Taken taken = serds.take(index, event, context.now.wall_ns);
  for (const auto& [of, resource] : serds.take_withdrawn()) inference.withdraw(of, resource);
  if (taken != SerdBank::Taken::no) inference.count(index, event.resource);
  if (taken == SerdBank::Taken::fires)
    verdicts.conclude({rule, event.resource, serds.evidence(index, event.resource), &event});
}

void Engine::Impl::add_evidence(const Rule& rule, const Event& event, bool again) {
  for (Case* c : book.about(event.resource)) {
    if (!is_evidence_for(*c, rule, event.resource)) continue;
    if (std::find(counted_for.begin(), counted_for.end(), c) != counted_for.end()) continue;
    counted_for.push_back(c);
    const Evidence evidence{event.seq, event.time_ns, event.event_class};
    Case* cause = c->explained_by.empty() ? nullptr : book.find(c->explained_by);
    for (Case* one : {c, cause})
      if (one)
        again ? book.recount_evidence(*one, evidence) : (void)book.add_evidence(*one, evidence);
  }
}

// Decisions about it are in the rows; only counts are repeated.
void Engine::Impl::recount(const Event& event, Moment when) {
  book.begin(when);
  last_seq = std::max(last_seq, event.seq);
  if (evidence_start.is_history(event)) return;
  counted_for.clear();
  for (const uint32_t i : context.rules->roles(event.event_class).evidence) {
    const Rule& rule = context.rules->rules()[i];
    if (!concerns(rule, event.payload)) continue;
    add_evidence(rule, event, true);
    if (rule.kind != RuleKind::immediate)
      serds.recount(i, event, when.wall_ns, counted_to.value_or(0));
  }
}

// --- causes in common

void Engine::Impl::note_touched() {
  const std::set<std::string> touched = book.take_touched();
  inference.look_at(touched);
  veto.look_at(touched);
  note_due(touched);
}

void Engine::Impl::note_due(const std::set<std::string>& touched) {
  causes_due.insert(touched.begin(), touched.end());
}

// Of all causes only those that have changed, in the order of their names: others are what they were when they were
// looked at last. What changes an earlier one is looked at the next time.
void Engine::Impl::settle_causes() {
  for (const Verdicts::Exonerated& one : verdicts.take_exonerated())
    if (Case* c = book.find(one.uuid); c && c->open()) {
      verdicts.explain_again(one);  // first: an ongoing one must not be pinned
      repairs.repair(
          *c, SuspectStatus::acquitted,
          [&](const Suspect& s) {
            return s.resource == one.resource && s.fault_class == one.fault;
          },
          explained_words(one.cause));
      if (!c->faulty()) supersede(*c, one.cause);
    }
  const std::set<std::string> changed = holds.take_changed_causes();
  std::set<std::string> all = changed;
  const auto add_due = [&](std::set<std::string>::iterator from) {
    for (auto at = from; at != causes_due.end(); at = causes_due.erase(at))
      if (!holds.explained_by(*at).empty()) all.insert(*at);
  };
  note_touched();
  add_due(causes_due.begin());
  for (const std::string& uuid : all) {
    settle_cause(uuid, changed.contains(uuid));
    note_touched();
    add_due(causes_due.upper_bound(uuid));
  }
}

// The cause's message corrects those about the case, so the cause remembers it.
void Engine::Impl::supersede(Case& c, const std::string& by) {
  Case* cause = book.find(by);
  if (!cause || cause->supersedes.size() >= Case::kMostSuperseded) return;
  const Suspect& part = c.suspects.front();
  c.superseded_by = by;
  cause->supersedes.push_back({c.uuid, name_in_place(context.inventory, part.resource)});
  book.touch(c);
  book.touch(*cause);
}

void Engine::Impl::settle_cause(const std::string& uuid, bool changed) {
  Case* c = book.find(uuid);
  if (c && !c->merged_into.empty()) return verdicts.hand_over(uuid, c->merged_into);
  const Rule* rule = c ? cause_rule(*context.rules, *c) : nullptr;
  const auto is_cause = [&](const Suspect& s) {
    return (rule && s.fault_class == rule->fault->name) ||
           context.rules->is_upstream(s.fault_class);
  };
  const auto any = [&](SuspectStatus status) {
    return c && std::any_of(c->suspects.begin(), c->suspects.end(),
                            [&](const Suspect& s) { return s.status == status && is_cause(s); });
  };
  if (any(SuspectStatus::faulty)) {
    if (changed && c->consequence) verdicts.weigh(*c);
    if (!rule || !changed || !verdicts.explains_too_few(*c)) return;
    verdicts.release(uuid, Verdicts::Release::wait_again);
    return repairs.repair(
        *c, SuspectStatus::repaired,
        [&](const Suspect& s) { return s.fault_class == rule->fault->name; },
        fmt::format("of what it explained fewer than {} fail now", Verdicts::least_of(*c)));
  }
  const bool acquitted = any(SuspectStatus::acquitted);
  if (acquitted && rule)
    for (const Suspect& s : c->suspects)
      conditions.acquit({s.resource, rule->name}, {"a person's word", context.now.wall_ns});
  verdicts.release(uuid, acquitted ? Verdicts::Release::judge : Verdicts::Release::forget);
}

// --- time

void Engine::on_time(Moment now) {
  const Impl::Call call(*impl_, now);
  impl_->weigh();
  while (const auto over = impl_->holds.take_due(now.steady_ns)) impl_->verdicts.finish(*over);
  while (Case* c = impl_->book.take_quiet())
    if (impl_->verdicts.explains_a_state(*c))
      impl_->book.goes_on(*c);  // it is no less so for that nothing more is said of it
    else
      impl_->repairs.quiet(*c);
}

std::optional<int64_t> Engine::next_deadline_ns() const {
  const std::optional<int64_t> hold = impl_->holds.next_deadline_ns();
  const std::optional<int64_t> quiet = impl_->book.next_quiet_ns();
  std::optional<int64_t> next;
  for (const std::optional<int64_t> one : {hold, quiet, impl_->veto.next_ns()})
    if (one) next = std::min(next.value_or(*one), *one);
  return next;
}

// --- people and the reconciler

Result<std::vector<std::string>> Engine::judge(Verdict verdict, std::string_view uuid,
                                               std::string_view part, std::string_view who,
                                               Moment now) {
  const Impl::Call call(*impl_, now);
  return impl_->repairs.judge(verdict, uuid, part, who);
}

Result<std::vector<Suspect>> Engine::meant_by(std::string_view uuid, std::string_view part) const {
  return impl_->repairs.meant_by(uuid, part);
}

Result<void> Engine::acknowledge(std::string_view uuid, std::string_view who,
                                 std::string_view comment, Moment now) {
  const Impl::Call call(*impl_, now);
  Case* c = impl_->book.find(uuid);
  if (!c)
    return fail(fmt::format("there is no case {}; 'fmadm faulty -a' lists them", display(uuid)));
  if (!c->open()) return fail(fmt::format("case {} is resolved already", c->uuid));
  c->acknowledged = true;
  c->acknowledged_by = who;
  c->acknowledged_count = c->evidence_count;
  for (const Suspect& s : c->suspects)
    if (s.status == SuspectStatus::faulty) impl_->conditions.acknowledge(s);
  std::string text = fmt::format("acknowledged by {}", display(who));
  if (!comment.empty()) text += ": " + display(comment, 1000);
  impl_->book.say(*c, "acknowledged", text);
  return {};
}

void Engine::record_action(std::string_view uuid, Action action, std::string_view text,
                           Moment now) {
  const Impl::Call call(*impl_, now);
  Case* c = impl_->book.find(uuid);
  if (!c || !c->open()) return;
  if (!text.empty()) impl_->book.say(*c, action_name(action.kind), text);
  c->set_action(std::move(action));
  impl_->book.touch(*c);
  impl_->repairs.isolate_if_due(*c);
  impl_->repairs.resolve_if_due(*c);
}

void Engine::set_owed(std::string_view uuid, uint32_t owed, Moment now) {
  const Impl::Call call(*impl_, now);
  Case* c = impl_->book.find(uuid);
  if (!c || !c->open() || c->owed == owed) return;
  c->owed = owed;
  impl_->book.touch(*c);
  impl_->repairs.resolve_if_due(*c);
}

void Engine::note(std::string_view uuid, std::string_view kind, std::string_view text, Moment now) {
  const Impl::Call call(*impl_, now);
  if (Case* c = impl_->book.find(uuid)) impl_->book.say(*c, kind, text);
}

void Engine::forget_case(std::string_view uuid) {
  impl_->book.forget(uuid);
}

// --- what it knows

const Inventory& Engine::inventory() const {
  return impl_->context.inventory;
}

const std::map<std::string, Case, std::less<>>& Engine::cases() const {
  return impl_->book.all();
}

const CasesByAge& Engine::cases_by_age() const {
  return impl_->book.all_by_age();
}

const CasesByAge& Engine::open_cases_by_age() const {
  return impl_->book.open_by_age();
}

const Case* Engine::find_case(std::string_view uuid) const {
  return impl_->book.find(uuid);
}

std::vector<const Case*> Engine::Impl::newest_first(CaseBook::By by, std::string_view fmri) const {
  const CaseBook::List& about = book.by(by, fmri);
  std::vector<const Case*> out(about.begin(), about.end());
  std::stable_sort(out.begin(), out.end(), [](const Case* a, const Case* b) {
    return a->solved_steady_ns > b->solved_steady_ns;
  });
  return out;
}

std::vector<const Case*> Engine::cases_by_resource(std::string_view fmri) const {
  return impl_->newest_first(CaseBook::By::resource, fmri);
}
std::vector<const Case*> Engine::cases_by_asru(std::string_view fmri) const {
  return impl_->newest_first(CaseBook::By::asru, fmri);
}
std::vector<const Case*> Engine::cases_by_fru(std::string_view fmri) const {
  return impl_->newest_first(CaseBook::By::fru, fmri);
}
std::vector<const Case*> Engine::cases_by_bay(std::string_view fmri) const {
  return impl_->newest_first(CaseBook::By::bay, fmri);
}
std::vector<const Case*> Engine::cases_by_group(std::string_view fmri) const {
  return impl_->newest_first(CaseBook::By::group, fmri);
}

std::vector<SerdView> Engine::serd_engines() const {
  return impl_->serds.view();
}

std::vector<HoldView> Engine::holds() const {
  std::vector<HoldView> out;
  for (const auto& [key, hold] : impl_->holds.all())
    out.push_back({key.rule, key.resource, hold.uuid, impl_->holds.deadline_of(key).value_or(0)});
  return out;
}

std::optional<HeldFinding> Engine::held_finding(std::string_view uuid) const {
  const std::optional<RuleKey> key = impl_->holds.of_case(uuid);
  const Rule* rule = key ? impl_->context.rules->find(key->rule) : nullptr;
  if (!rule) return {};
  return HeldFinding{make_suspect(impl_->context, *rule, key->resource),
                     impl_->holds.deadline_of(*key).value_or(0)};
}

std::vector<blame::Account> Engine::explanations_of_part(std::string_view fmri, Moment now) const {
  return impl_->inference.about_part(fmri, now.steady_ns);
}

std::vector<blame::Account> Engine::explanations_of_case(std::string_view uuid, Moment now) const {
  return impl_->inference.about_case(uuid, now.steady_ns);
}

std::vector<CaseNews> Engine::take_news() {
  return impl_->book.take_news();
}

}  // namespace fmd
