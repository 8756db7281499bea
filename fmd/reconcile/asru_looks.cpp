// One look at one ASRU: the case that has the say is found, what it wishes is carried out, what nobody
// wishes any more is given back.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fmd/base/text.h"
#include "fmd/model/ended_action.h"
#include "fmd/reconcile/reconciler_impl.h"
#include "fmd/reconcile/replacement.h"

namespace fmd {
namespace {

constexpr std::array kOfAsru{InterventionKind::retire, InterventionKind::spare,
                             InterventionKind::replace};

InterventionKind kind_of(ActionKind action) {
  return action == ActionKind::spare     ? InterventionKind::spare
         : action == ActionKind::replace ? InterventionKind::replace
                                         : InterventionKind::retire;
}

// A replacement was begun with a disk that is still there, and cannot go on for now: the disk is being read, or its pool is
// not imported. The intent stays, for without it what fmd has written there would make the disk a stranger.
bool begun_with_what_is_there(const PartFacts& facts, const Case& wishing) {
  const Intervention* begun = facts.done(InterventionKind::replace);
  if (!begun || begun->with.empty() || !wishing.retire.replace_same_bay) return false;
  const Resource* disk = facts.engine.inventory().find(begun->with);
  return disk && disk->present;
}

// How fmd's replacement of the part goes on; nothing if there is none.
std::optional<Step> replacing_step(const PartFacts& facts) {
  const Asru& a = facts.asru;
  const Intervention* i = facts.done(InterventionKind::replace);
  if (!i || i->state != Intervention::State::in_force || a.replacing.empty()) return {};
  const auto newcomer = observe(facts.engine.inventory(), a.replacing);
  Step step;
  step.action = ActionKind::replace;
  step.part = a.fmri;
  step.quiet = true;
  step.state = ActionState::resilvering;
  step.detail = "the new disk is being filled";
  if (!newcomer || service_rank(newcomer->service) < 2) return step;
  step.state = ActionState::waiting;
  step.obstacle = Obstacle::not_accepted;
  step.detail = why_unfilled(a, *newcomer);
  return step;
}

}  // namespace

void Reconciler::Impl::look_at_asru(const Asru& asru, const Look& at) {
  awaiting.erase(asru.fmri);
  std::vector<std::string> faulty;  // cases that wish something of the part, newest first
  bool about = false;
  for (const Case* c : engine.cases_by_asru(asru.fmri)) {
    if (!is_faulty(*c, asru.fmri)) continue;
    about = true;
    if (!c->retire.first.empty() || c->retire.replace_same_bay) faulty.push_back(c->uuid);
  }
  if (!about) overrides.allow(asru.fmri);
  if (orders.count(asru.fmri)) return carry_out(asru.fmri, asru, at);
  if (asru.service == Service::in_service) interventions.back_in_service(asru.fmri);
  const Resource* disk = engine.inventory().descend(asru.fmri, Relation::redundancy, "dev");
  const PartFacts facts{asru,
                        engine,
                        interventions,
                        config,
                        overrides.kept_by(asru.fmri),
                        overrides.refusal(asru.fmri),
                        at.now,
                        disk,
                        bays};
  drop_stale_actions(asru.fmri);
  if (!facts.kept_by) settle_forgotten_order(asru);
  if (!faulty.empty()) pass_on(asru.fmri, *engine.find_case(faulty.front()));
  look_at_return(facts, faulty, at);
  if (!faulty.empty() && !facts.kept_by) return fulfil(facts, faulty, at);
  if (facts.kept_by) tell_kept(facts, faulty);
  give_back(facts, at);
}

// What the newest case wishes; all cases about the part are told.
void Reconciler::Impl::fulfil(const PartFacts& facts, const std::vector<std::string>& cases,
                              const Look& at) {
  const std::string& part = facts.asru.fmri;
  const Case wishing = *engine.find_case(cases.front());  // a copy: showing an action changes it
  if (wishing.retire.replace_same_bay && service_rank(facts.asru.service) >= 2)
    awaiting.insert(part);
  const Owner acting{Owner::Kind::acting_case, wishing.uuid};
  const std::vector<Step> steps = plan_faulty(facts, wishing);
  for (const Step& step : steps) {
    if (step.lasting) overrides.refuse(part, {wishing.uuid, step.obstacle, step.detail});
    if (step.again_ns) flights.look_at(part, step.again_ns);
    if (step.command)
      start(step, acting, cases, at);
    else
      for (const std::string& uuid : cases) show(uuid, step, 0, step.quiet, at.now);
  }
  // A new disk that was there and has been taken away again.
  const bool begun = begun_with_what_is_there(facts, wishing);
  const Action* replace = wishing.find_action(ActionKind::replace, part);
  const bool planned = std::any_of(steps.begin(), steps.end(), [](const Step& step) {
    return step.action == ActionKind::replace;
  });
  if (replace && !planned && !begun && replace->state != ActionState::returned) {
    const Action over = ended(*replace);
    for (const std::string& uuid : cases) engine.record_action(uuid, over, "", at.now);
  }
  for (const InterventionKind kind : kOfAsru) {
    const bool wished = std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
      return step.command && step.command->kind == kind;
    });
    const bool later = kind == InterventionKind::replace && begun;
    if (!wished && !later) abandon(kind, facts, at);
  }
}

// An intent that is wished no more. One that may be done yet is undone by its key, which its plugin
// answers once it knows. A replacement cannot be undone, a person's order is not: they show by
// themselves should they take effect.
void Reconciler::Impl::abandon(InterventionKind kind, const PartFacts& facts, const Look& at) {
  const Intervention* i = interventions.find(kind, facts.asru.fmri);
  if (!i || i->state != Intervention::State::intended || flights.under_way(i->part)) return;
  const bool acting = i->owner.kind == Owner::Kind::acting_case;
  if (i->asked && acting && kind != InterventionKind::replace) {
    const Owner owner = i->owner;
    start(undo_step(facts, *i), owner, {}, at);
  } else {
    Intervention over = *i;
    over.asked = false;
    interventions.put(std::move(over));
    drop_unseen(kind, facts.asru.fmri, at.now);
  }
}

// A person's order whose answer nobody waits for any more (fmd was restarted, the plugin went away) is
// not given again. Whether it was done the part shows.
void Reconciler::Impl::settle_forgotten_order(const Asru& asru) {
  const Intervention* i = interventions.find(InterventionKind::retire, asru.fmri);
  if (!i || i->owner.kind != Owner::Kind::person || flights.under_way(asru.fmri)) return;
  if (i->state == Intervention::State::in_force) return;
  if (!asru.out_by(*i)) return interventions.erase(i->id());
  Intervention next = *i;
  next.key = asru.retired_by;
  next.level_key.clear();
  next.state = Intervention::State::in_force;
  next.asked = false;
  interventions.put(std::move(next));
}

// Said once nothing is to be given back any more: the one action tells of one thing.
void Reconciler::Impl::tell_kept(const PartFacts& facts, const std::vector<std::string>& cases) {
  const std::string& part = facts.asru.fmri;
  if (interventions.find(InterventionKind::retire, part)) return;
  for (const std::string& uuid : cases) {
    Step step;
    step.part = part;
    step.state = ActionState::refused;
    step.obstacle = Obstacle::person;
    step.detail = fmt::format("kept in service by {}", display(*facts.kept_by));
    show(uuid, step, 0, false, facts.now);
    const Case kept = *engine.find_case(uuid);
    for (const Action& action : kept.actions) {
      const bool rest = action.part == part && action.kind != ActionKind::retire &&
                        action.kind != ActionKind::fault_led &&
                        action.state != ActionState::returned &&
                        !interventions.find(kind_of(action.kind), part);
      if (rest) engine.record_action(uuid, ended(action), "", facts.now);
    }
  }
}

void Reconciler::Impl::give_back(const PartFacts& facts, const Look& at) {
  const std::string& part = facts.asru.fmri;
  abandon(InterventionKind::replace, facts, at);
  for (const InterventionKind kind : kOfAsru) drop_unseen(kind, part, at.now);
  // A replacement stays. It may have taken effect only after its case was judged.
  const auto replacing = replacing_step(facts);
  const Intervention* filled = interventions.find(InterventionKind::replace, part);
  if (replacing && filled && engine.find_case(filled->owner.name))
    show(filled->owner.name, *replacing, filled->attempts, replacing->quiet, at.now);
  for (const Step& step : plan_give_back(facts)) {
    const Intervention* done = interventions.find(kind_of(step.action), part);
    // Its case is lost with a damaged store: whether the part is well again nobody can say.
    const bool persons = done && done->owner.kind == Owner::Kind::person;
    if (!done || (!persons && !engine.find_case(done->owner.name))) continue;
    const Owner giving = done->owner;
    if (step.command)
      start(step, giving, {giving.name}, at);
    else
      show(giving.name, step, done->undo_attempts, step.quiet, at.now);
  }
}

// What a case that wishes nothing of the part any more still says to be under way or waiting.
void Reconciler::Impl::drop_stale_actions(const std::string& part) {
  for (const Case* c : engine.cases_by_asru(part)) {
    if (is_faulty(*c, part) || c->state == CaseState::unsolved) continue;
    const Case stale = *c;
    for (const Action& action : stale.actions) {
      if (action.part != part || action.state == ActionState::returned) continue;
      const Intervention* i = interventions.find(kind_of(action.kind), part);
      if (i && i->owner.is_case(stale.uuid)) continue;
      engine.record_action(stale.uuid, ended(action), "", look_now);
    }
  }
}

// What was answered with "failed" and is not seen has not happened: when nobody wishes it any more it
// is no debt. Should it show later, it is known by its key.
void Reconciler::Impl::drop_unseen(InterventionKind kind, const std::string& part, Moment now) {
  const Intervention* i = interventions.find(kind, part);
  if (!i || i->state != Intervention::State::intended || i->asked || flights.under_way(part))
    return;
  if (!i->level_key.empty()) {  // the level below is in force still
    Intervention below = *i;
    below.key = std::exchange(below.level_key, {});
    below.level = Service::degraded;
    below.state = Intervention::State::in_force;
    return interventions.put(std::move(below));
  }
  const Settled never{Settled::How::ended, *i, false};
  interventions.erase(i->id());
  tell_settled(never, now);
}

// Each part and kind has one owner: the newest faulty case that wants the part out of service. Actions of a lost case go to any
// faulty case.
void Reconciler::Impl::pass_on(const std::string& part, const Case& to) {
  for (const InterventionKind kind :
       {InterventionKind::retire, InterventionKind::spare, InterventionKind::replace}) {
    const Intervention* i = interventions.find(kind, part);
    if (!i || i->owner.kind != Owner::Kind::acting_case) continue;
    if (to.retire.first.empty() && engine.find_case(i->owner.name)) continue;
    const bool undoing = i->state == Intervention::State::undoing && !flights.under_way(part) &&
                         !overrides.kept_by(part);
    if (i->owner.is_case(to.uuid) && !undoing) continue;
    Intervention next = *i;
    next.owner.name = to.uuid;
    if (undoing) {
      next.state = Intervention::State::in_force;
      parts.insert(part);  // whether it is in force at all the next look settles
    }
    interventions.put(std::move(next));
  }
}

}  // namespace fmd
