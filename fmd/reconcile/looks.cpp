// Examines one part: settles actions, sets a bay's lights, updates the cases' texts.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/model/ended_action.h"
#include "fmd/model/part_name.h"
#include "fmd/reconcile/reconciler_impl.h"

namespace fmd {
namespace {

using How = Settled::How;

std::optional<ActionKind> action_of(InterventionKind kind) {
  switch (kind) {
    case InterventionKind::retire:
      return ActionKind::retire;
    case InterventionKind::spare:
      return ActionKind::spare;
    case InterventionKind::replace:
      return ActionKind::replace;
    case InterventionKind::fault_led:
      return ActionKind::fault_led;
    case InterventionKind::locate_led:
      break;
  }
  return {};
}

}  // namespace

void Reconciler::Impl::adopt_done(const std::string& part, Moment now) {
  look_now = now;
  for (const Settled& s : adopt(part, engine, flights, interventions, now)) tell_settled(s, now);
}

void Reconciler::Impl::look(const std::string& part, const Look& at) {
  look_now = at.now;
  const auto tell = [&](const std::vector<Settled>& all) {
    for (const Settled& s : all) tell_settled(s, at.now);
    return !all.empty();
  };
  // What is no more as the table has it may be so by another command of fmd's, which took effect late.
  if (tell(settle(part, engine, flights, interventions, at.now))) adopt_done(part, at.now);
  const Resource* r = engine.inventory().find(part);
  if (!r) {
    flights.forget(part);
    interventions.back_in_service(part);
    overrides.allow(part);
    order_done(part, CommandStatus::failed, "the part is not there any more");
    return;
  }
  if (flights.waits_for_change(part)) flights.seen(part, world_of(part));
  if (has_lights(*r)) look_at_bay(part, at);
  if (const auto asru = observe(engine.inventory(), part)) look_at_asru(*asru, at);
  note_forgotten(part);
}

// Reported again after each start until a case owns it: the report may have been lost with a crash.
void Reconciler::Impl::note_forgotten(const std::string& part) {
  const auto is_ownerless = [&](InterventionKind kind) {
    const Intervention* i = interventions.find(kind, part);
    return i && i->state == Intervention::State::in_force &&
           i->owner.kind == Owner::Kind::acting_case && !engine.find_case(i->owner.name);
  };
  if (!is_ownerless(InterventionKind::retire) && !is_ownerless(InterventionKind::spare))
    reported_forgotten.erase(part);
  else if (reported_forgotten.insert(part).second)
    forgotten.insert(part);
}

// Whether the owning case's plan reports the part's new state itself.
bool Reconciler::Impl::reports_state(const Intervention& was) const {
  const Case* owner = engine.find_case(was.owner.name);
  const auto asru = observe(engine.inventory(), was.part);
  return owner && asru && is_faulty(*owner, was.part) && !owner->retire.first.empty() &&
         !overrides.kept_by(was.part) &&
         service_rank(asru->service) >= service_rank(parse_service(owner->retire.first));
}

// Records on the owning case's timeline what became of an action.
void Reconciler::Impl::tell_settled(const Settled& s, Moment now) {
  const Intervention& was = s.was;
  flights.reset({was.kind, was.state == Intervention::State::undoing, was.part});
  const auto kind = action_of(was.kind);
  if (s.how == How::came_true || !kind || was.owner.kind != Owner::Kind::acting_case) return;
  const std::string name = name_in_place(engine.inventory(), was.part);
  Step step;
  step.action = *kind;
  step.part = was.part;
  step.state = ActionState::returned;
  if (s.how == How::theirs && was.kind == InterventionKind::retire) {
    step.obstacle = Obstacle::not_ours;
    step.detail = name + (s.by_restart ? " is in service again since the machine was restarted"
                          : s.back_in_service ? " was put back into service, not by fmd"
                                              : " was changed by somebody else since: fmd does not "
                                                "put it back");
    if (s.by_restart) step.obstacle = Obstacle::none;
    step.quiet = !s.back_in_service && reports_state(was);
    const Case* owner = engine.find_case(was.owner.name);
    if (s.back_in_service && !s.by_restart && owner && is_faulty(*owner, was.part) &&
        overrides.undone(was.part, now))
      overrides.refuse(
          was.part, {owner->uuid, Obstacle::contested,
                     fmt::format("{} is put back into service again and again, not by fmd: it is "
                                 "left so. 'fmadm retire {}' takes it out",
                                 name, was.part)});
  } else if (s.how == How::theirs) {
    step.obstacle = Obstacle::not_ours;
    step.detail = fmt::format("the spare of {} was changed by somebody else since", name);
  } else {
    step.quiet = true;
  }
  // A spare that has left is no give-back while its case still wishes it.
  const Case* owner = engine.find_case(was.owner.name);
  if (was.kind == InterventionKind::spare && owner && is_faulty(*owner, was.part)) return;
  show(was.owner.name, step, was.attempts, step.quiet, now);
}

void Reconciler::Impl::look_at_bay(const std::string& bay, const Look& at) {
  std::vector<std::string> wishing;
  for (const Case* c : wishing_light(engine, bay)) wishing.push_back(c->uuid);
  const Intervention* lit = interventions.find(InterventionKind::fault_led, bay);
  const bool undoing = lit && lit->state == Intervention::State::undoing && !flights.under_way(bay);
  if (lit && !wishing.empty() && (undoing || !lit->owner.is_case(wishing.front()))) {
    Intervention next = *lit;
    next.owner = {Owner::Kind::acting_case, wishing.front()};
    if (undoing) next.state = Intervention::State::in_force;
    interventions.put(std::move(next));
  }
  if (wishing.empty() && lit && !lit->asked &&
      !engine.inventory().find(bay)->is("led.fault", "on")) {
    if (lit->state == Intervention::State::in_force) {  // someone else has switched it off
      const Settled dark{Settled::How::ended, *lit, false};
      interventions.erase(lit->id());
      tell_settled(dark, at.now);
    } else {
      drop_unseen(InterventionKind::fault_led, bay, at.now);
    }
    lit = interventions.find(InterventionKind::fault_led, bay);
  }
  const bool orphan = wishing.empty() && lit && !engine.find_case(lit->owner.name);
  if (const auto step = orphan ? std::nullopt : plan_fault_light(engine, interventions, bay)) {
    const std::string owner = !wishing.empty() ? wishing.front() : lit ? lit->owner.name : "";
    const auto cases = wishing.empty() ? std::vector<std::string>{owner} : wishing;
    if (step->command)
      start(*step, {Owner::Kind::acting_case, owner}, cases, at);
    else
      for (const std::string& uuid : cases) show(uuid, *step, 0, step->quiet, at.now);
  }
  const Resource* r = engine.inventory().find(bay);
  const bool has_led = !r->get("led.fault").empty() && !r->is("led.method", "none");
  for (const Case* c : held_back_light(engine, bay)) {
    // It also takes the place of "returned", once the light is off.
    if (has_led && !interventions.find(InterventionKind::fault_led, bay))
      show(c->uuid, held_back_step(engine, *c, bay), 0, false, at.now);
    wishing.push_back(c->uuid);
  }
  for (const Case* c : coming_light(engine, bay)) {
    if (has_led) show(c->uuid, coming_step(bay), 0, true, at.now);
    wishing.push_back(c->uuid);
  }
  drop_stale_lights(bay, wishing);
  end_errand(bay, at.now);
  if (const auto step = plan_locate_light(engine, interventions, wishes, bay))
    start(*step, {Owner::Kind::person, wishes.who(bay)}, {}, at);
  else if (!wishes.on(bay) && engine.inventory().find(bay)->is("led.locate", "off"))
    wishes.done_with(bay);
}

std::string Reconciler::Impl::disk_in_bay(const std::string& bay) const {
  const Resource* r = engine.inventory().find(bay);
  if (!r) return {};
  for (const Edge& edge : r->edges) {
    const Resource* disk =
        edge.relation == Relation::contains ? engine.inventory().find(edge.to) : nullptr;
    if (disk && disk->present && disk->type == "disk") return disk->fmri;
  }
  return {};
}

// A person's locate light goes off when its purpose is over.
void Reconciler::Impl::end_errand(const std::string& bay, Moment now) {
  const LocateWishes::Errand* errand = wishes.errand(bay);
  if (!errand) return;
  if (errand->since_ns == 0) {
    const auto cases = engine.cases_by_bay(bay);
    const auto open =
        std::find_if(cases.begin(), cases.end(), [](const Case* c) { return c->faulty(); });
    wishes.begin(
        bay, {disk_in_bay(bay), open == cases.end() ? std::string() : (*open)->uuid, now.wall_ns});
    return;
  }
  if (config.dry_run) return;  // nothing switches it off until dry run ends
  const std::string why = errand_over(bay, *errand, now);
  if (why.empty()) return;
  const std::string uuid = errand->uuid;
  wishes.end_errand(bay);
  if (wishes.on(bay)) return;
  const std::string text =
      fmt::format("the locate LED of {} goes off: {}", name_in_place(engine.inventory(), bay), why);
  said.push_back(text);
  if (!uuid.empty()) engine.note(uuid, "locate", text, now);
  flights.reset({InterventionKind::locate_led, true, bay});
}

std::string Reconciler::Impl::errand_over(const std::string& bay,
                                          const LocateWishes::Errand& errand, Moment now) const {
  const std::string disk = disk_in_bay(bay);
  if (!disk.empty() && disk != errand.disk) return "another disk is in it";
  const Case* c = errand.uuid.empty() ? nullptr : engine.find_case(errand.uuid);
  if (!errand.uuid.empty() && !(c && c->faulty())) return "the case about its part is over";
  const int64_t lasts_ns = config.locate_off_after_ns;
  if (lasts_ns > 0 && now.wall_ns >= add_times(errand.since_ns, lasts_ns))
    return fmt::format("it was on for {}", format_duration(lasts_ns));
  return {};
}

void Reconciler::Impl::drop_stale_lights(const std::string& bay,
                                         const std::vector<std::string>& wishing) {
  const Intervention* lit = interventions.find(InterventionKind::fault_led, bay);
  for (const Case* c : engine.cases_by_bay(bay)) {
    const Action* action = c->find_action(ActionKind::fault_led, bay);
    const bool wants = std::find(wishing.begin(), wishing.end(), c->uuid) != wishing.end();
    if (!action || action->state == ActionState::returned || wants ||
        (lit && lit->owner.is_case(c->uuid)))
      continue;
    engine.record_action(c->uuid, ended(*action), "", look_now);
  }
}

// Says it on the case once: a repeated look at the same blocked wish is no news.
void Reconciler::Impl::show(const std::string& uuid, const Step& step, int attempts, bool silent,
                            Moment now) {
  const Case* c = engine.find_case(uuid);
  if (!c || !c->open()) return;
  const Action* old = c->find_action(step.action, step.part);
  // While its command is under way the inventory shows the world in mid-change.
  if (old && old->state == ActionState::running && flights.under_way(step.part) &&
      step.state != ActionState::done)
    return;
  const bool same = old && old->state == step.state && old->obstacle == step.obstacle;
  if (same && (step.state == ActionState::done ||
               (old->detail == step.detail && old->attempts == attempts)))
    return;
  const bool same_news = same && old->detail == step.detail;
  // The action is on the timeline since its command was answered.
  const bool ours = old && old->state == ActionState::running && step.state == ActionState::done &&
                    step.obstacle == Obstacle::none;
  Action action;
  action.kind = step.action;
  action.part = step.part;
  action.state = step.state;
  action.obstacle = step.obstacle;
  action.detail = step.detail;
  action.time_ns = now.wall_ns;
  action.attempts = attempts;
  action.evidence = c->evidence_count;
  action.unfit = step.unfit;
  action.unfit_why = step.unfit_why;
  engine.record_action(uuid, std::move(action),
                       silent || same_news || ours ? ""
                       : step.said.empty()         ? step.detail
                                                   : step.said,
                       now);
}

}  // namespace fmd
