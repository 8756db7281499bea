// Commands: written down as an intent before they go out, and what their answers mean.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/model/fmri_in_text.h"
#include "fmd/reconcile/reconciler_impl.h"

namespace fmd {
namespace {

using State = Intervention::State;

ActionKind action_of(const Command& command, const Intervention* i) {
  switch (command.kind) {
    case InterventionKind::spare:
      return ActionKind::spare;
    case InterventionKind::replace:
      return ActionKind::replace;
    case InterventionKind::fault_led:
    case InterventionKind::locate_led:
      return ActionKind::fault_led;
    case InterventionKind::retire:
      break;
  }
  return i && !i->level_key.empty() ? ActionKind::out_of_service : ActionKind::retire;
}

// Meaning of a refusal of that command.
Obstacle refused_for(const Command& command) {
  if (command.undo) return Obstacle::not_ours;
  switch (command.name) {
    case CommandName::retire:
      return Obstacle::last_copy;
    case CommandName::spare_in:
      return Obstacle::no_spare;
    case CommandName::replace:
      return Obstacle::not_accepted;
    default:
      return Obstacle::error;
  }
}

}  // namespace

std::string owner_word(const Owner& owner) {
  std::string word = owner.kind == Owner::Kind::person ? "person-" + owner.name : owner.name;
  std::replace(word.begin(), word.end(), ':', '-');
  return word;
}

std::string Reconciler::Impl::world_of(const std::string& part) const {
  if (const auto asru = observe(engine.inventory(), part)) return asru->facts();
  const Resource* r = engine.inventory().find(part);
  return r ? r->get("led.fault") + "|" + r->get("led.locate") : "";
}

// What an answer to that command depends on. An undo names the key of the try that it undoes: no two
// are alike, and nothing of it matters here.
Flights::Facts Reconciler::Impl::facts_of(const std::string& part, const std::string& args,
                                          bool undo) const {
  return {undo ? "" : args, world_of(part)};
}

std::string Reconciler::Impl::new_key(const Owner& owner, InterventionKind kind, Moment now) {
  // The steady clock never shows a time twice over restarts, the number tells those of one step apart.
  return fmt::format("{}:{}:{}.{}", owner_word(owner), intervention_name(kind), now.steady_ns,
                     next_key++);
}

// The number of tries is not enough: an action that is adopted after the loss of the database keeps
// its key and counts from 1 again, and its plugin would answer from memory instead of acting.
std::string Reconciler::Impl::new_undo_key(const Intervention& i, Moment now) {
  return fmt::format("{}:undo:{}.{}", i.key, now.steady_ns, next_key++);
}

bool Reconciler::Impl::start(const Step& step, const Owner& owner,
                             const std::vector<std::string>& cases, const Look& at) {
  const Step::Order& order = *step.command;
  const auto show_all = [&](ActionState state, Obstacle obstacle, std::string detail,
                            int attempts) {
    Step shown = step;
    shown.state = state;
    shown.obstacle = obstacle;
    shown.detail = std::move(detail);
    for (const std::string& uuid : cases)
      show(uuid, shown, attempts, state == ActionState::running || state == ActionState::returning,
           at.now);
  };
  if (config.dry_run) {
    show_all(ActionState::dry_run, Obstacle::none, "dry run: would " + step.detail, 0);
    return false;
  }
  const Flights::Slot slot{order.kind, order.undo, step.part};
  if (flights.under_way(step.part)) return false;  // looked at again when that is answered
  if (!flights.due(slot, facts_of(step.part, order.args, order.undo), at.now.steady_ns))
    return false;
  if (!at.handled(step.part)) {
    unhandled.insert(step.part);
    show_all(order.undo ? ActionState::returning : ActionState::waiting, Obstacle::no_plugin,
             fmt::format("cannot {} now: no plugin that takes commands for it is connected",
                         step.detail),
             0);
    return false;
  }
  const auto asru = observe(engine.inventory(), step.part);
  Command command =
      order.undo ? undo(step, owner, at.now) : intend(step, owner, asru ? &*asru : nullptr, at.now);
  flights.begin(step.part, command.key);
  const Intervention* i = interventions.find(order.kind, step.part);
  show_all(order.undo ? ActionState::returning : ActionState::running, Obstacle::none, step.detail,
           !i           ? 1
           : order.undo ? i->undo_attempts
                        : i->attempts);
  at.out.push_back(std::move(command));
  return true;
}

// A command without an answer is repeated with its own key, so the plugin recognises the
// repetition.
Command Reconciler::Impl::intend(const Step& step, const Owner& owner, const Asru* asru,
                                 Moment now) {
  const Step::Order& order = *step.command;
  const Intervention* known = interventions.find(order.kind, step.part);
  Intervention next;
  if (known) next = *known;
  const bool resumed = known && known->state == State::intended && known->asked &&
                       known->level == order.level && known->with == order.with;
  if (!known) {
    next.kind = order.kind;
    next.part = step.part;
    next.group = asru ? asru->group : "";
  }
  next.since = now;  // each level, and each try, is a taking out
  if (!resumed) {
    if (known && known->state == State::in_force && order.kind == InterventionKind::retire)
      next.level_key = known->key;
    next.key = new_key(owner, order.kind, now);
    ++next.attempts;
  }
  next.may_be_done = next.may_be_done || resumed;
  next.level = order.level;
  next.with = order.with;
  next.owner = owner;
  next.state = State::intended;
  next.asked = true;
  Command command{order.name, step.part, next.key, order.args, 60000, order.kind, false};
  interventions.put(std::move(next));
  return command;
}

Command Reconciler::Impl::undo(const Step& step, const Owner& owner, Moment now) {
  const Step::Order& order = *step.command;
  const Intervention* known = interventions.find(order.kind, step.part);
  if (!known)  // a light lit by someone else, which a person wants off
    return {order.name, step.part, new_key(owner, order.kind, now), order.args, 60000,
            order.kind, true};
  Intervention next = *known;
  const bool resumed = next.state == State::undoing && next.asked && !next.undo_key.empty();
  if (!resumed) {
    next.undo_key = new_undo_key(next, now);
    ++next.undo_attempts;
  }
  next.state = State::undoing;
  next.asked = true;
  Command command{order.name, step.part, next.undo_key, order.args, 60000, order.kind, true};
  interventions.put(std::move(next));
  return command;
}

void Reconciler::done(const Command& command, const CommandResult& answered, Moment now) {
  Impl& self = *impl_;
  CommandResult result = answered;  // with the names that the parts have at this time
  result.reason = with_places(self.engine.inventory(), std::move(result.reason));
  self.flights.end(command.resource, command.key);
  self.parts.insert(command.resource);
  const Flights::Slot slot{command.kind, command.undo, command.resource};
  const Flights::Facts facts = self.facts_of(command.resource, command.args, command.undo);
  if (result
          .already)  // nothing that fmd could do more: what it sees will change, or the plugin is wrong
    self.flights.until_changed(slot, facts);
  else if (result.status == CommandStatus::done)
    self.flights.confirm(slot, facts, now.steady_ns);
  else
    self.flights.back_off(slot, facts, result.status == CommandStatus::refused, now.steady_ns,
                          self.config.first_retry_ns, self.config.max_retry_ns);
  const Intervention* i = self.interventions.find(command.kind, command.resource);
  const bool mine = i && command.key == (command.undo ? i->undo_key : i->key);
  self.finished(command, result, mine ? i : nullptr, now);
  self.return_answered(command, result, now);
  const bool ordered = self.order_answered(command, result);
  if (!mine) return;
  Intervention next = *self.interventions.find(command.kind, command.resource);
  next.asked = result.unanswered;
  if (command.undo && result.status == CommandStatus::done)
    next.may_be_done = false;
  else if (!command.undo && (result.unanswered || result.status == CommandStatus::done))
    next.may_be_done = true;
  if (command.undo) return self.interventions.put(std::move(next));
  if (ordered && result.status != CommandStatus::done) next.asked = false;  // not tried again
  self.answered_do(std::move(next), result);
}

void Reconciler::unsent(const Command& command) {
  Impl& self = *impl_;
  self.flights.end(command.resource, command.key);
  self.parts.insert(command.resource);
  self.order_answered(command,
                      {.status = CommandStatus::failed,
                       .reason = "nothing is done while fmd's own state cannot be written"});
  const Intervention* i = self.interventions.find(command.kind, command.resource);
  if (!i || command.key != (command.undo ? i->undo_key : i->key)) return;
  Intervention next = *i;
  next.asked = false;
  self.interventions.put(std::move(next));
}

// The intent after its answer: refused, or so before, is nothing of fmd's. What failed stays an intent
// as long as it is wished: it is tried again, and counted meanwhile.
void Reconciler::Impl::answered_do(Intervention i, const CommandResult& result) {
  const bool theirs = result.status == CommandStatus::done && result.already;
  const bool over =
      result.status == CommandStatus::refused || theirs ||
      (i.owner.kind == Owner::Kind::person && !i.asked && result.status == CommandStatus::failed);
  const bool is_light =
      i.kind == InterventionKind::fault_led || i.kind == InterventionKind::locate_led;
  if (!over || (is_light && theirs)) return interventions.put(std::move(i));
  // Taken further by others after a command of fmd's may have begun it: the blast radius counts it.
  if (i.level_key.empty() && theirs && i.may_be_done && i.kind == InterventionKind::retire)
    return interventions.taken_over(i);
  if (i.level_key.empty()) return interventions.erase(i.id());
  i.key = std::exchange(i.level_key, {});  // the level below is in force still
  i.level = Service::degraded;
  i.state = State::in_force;
  interventions.put(std::move(i));
}

// On the timelines of the cases concerned.
void Reconciler::Impl::finished(const Command& command, const CommandResult& result,
                                const Intervention* i, Moment now) {
  if (command.kind == InterventionKind::locate_led) return;  // no case has an action of that kind
  const ActionKind kind = action_of(command, i);
  const std::string reason = display(result.reason, 500);
  if (const auto order = orders.find(command.resource);
      order != orders.end() && order->second.key == command.key) {
    for (const Case* c : engine.cases_by_asru(command.resource))
      engine.note(c->uuid, action_name(kind),
                  fmt::format("by {}: {}", display(order->second.who), reason), now);
    return;
  }
  std::vector<std::string> uuids;
  for (const Case* c : engine.cases_by_asru(command.resource)) uuids.push_back(c->uuid);
  for (const Case* c : wishing_light(engine, command.resource)) uuids.push_back(c->uuid);
  if (i && i->owner.kind == Owner::Kind::acting_case &&
      std::find(uuids.begin(), uuids.end(), i->owner.name) == uuids.end())
    uuids.push_back(i->owner.name);
  for (const std::string& uuid : uuids) {
    const Case* c = engine.find_case(uuid);
    const Action* old = c ? c->find_action(kind, command.resource) : nullptr;
    if (!old) continue;
    // Its effect may have shown before the answer came.
    if (result.status == CommandStatus::done && !result.already) {
      const std::string what = old->detail.empty() ? "done" : "done: " + old->detail;
      engine.note(uuid, action_name(kind), reason.empty() ? what : reason, now);
      continue;
    }
    if (old->state != ActionState::running && old->state != ActionState::returning) continue;
    Step step;
    step.action = kind;
    step.part = command.resource;
    const bool refused = result.status == CommandStatus::refused;
    step.state = command.undo ? ActionState::returning
                 : refused    ? ActionState::refused
                              : ActionState::failed;
    step.obstacle = refused ? refused_for(command) : Obstacle::error;
    if (result.already) {  // what there is to see shows it next, or its plugin is wrong
      step.state = command.undo ? ActionState::returning : ActionState::waiting;
      step.detail = reason;
      show(uuid, step, old->attempts, false, now);
      continue;
    }
    if (refused && result.busy) {  // the core's picture was older than what the plugin saw
      step.state = ActionState::waiting;
      step.obstacle = Obstacle::busy;
    }
    step.detail = old->obstacle == Obstacle::none
                      ? fmt::format("could not {}: {}", old->detail, reason)
                      : old->detail;
    show(uuid, step, old->attempts, false, now);
  }
}

}  // namespace fmd
