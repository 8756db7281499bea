#include "fmd/notify/promise.h"

#include <algorithm>
#include <array>
#include <set>

namespace fmd {
namespace {

constexpr std::array<std::string_view, 19> kStandings{
    "none",         "coming",    "done",         "lost",        "no-spare",
    "not-accepted", "last-copy", "blast-radius", "undecided",   "person",
    "contested",    "not-ours",  "disputed",     "refused",     "no-plugin",
    "failed",       "rehearsed", "no-led",       "stays-behind"};

// Why it is not done, whether it waits, was refused or failed.
Standing held_up(const Action& action) {
  switch (action.obstacle) {
    case Obstacle::busy:
      return Standing::coming;
    case Obstacle::no_spare:
      return Standing::no_spare;
    case Obstacle::no_plugin:
      return Standing::no_plugin;
    case Obstacle::not_accepted:
      return Standing::not_accepted;
    case Obstacle::last_copy:
      return Standing::last_copy;
    case Obstacle::blast_radius:
      return Standing::blast_radius;
    case Obstacle::undecided:
      return Standing::undecided;
    case Obstacle::person:
      return Standing::person;
    case Obstacle::contested:
      return Standing::contested;
    case Obstacle::not_ours:
      return Standing::not_ours;
    case Obstacle::disputed:
      return Standing::disputed;
    case Obstacle::none:
    case Obstacle::error:
      break;
  }
  if (action.state == ActionState::refused) return Standing::refused;
  const bool only_waits = action.state == ActionState::waiting && action.obstacle == Obstacle::none;
  return only_waits ? Standing::coming : Standing::failed;
}

Standing standing_of(const Action& action) {
  switch (action.state) {
    case ActionState::planned:
    case ActionState::running:
      return Standing::coming;
    case ActionState::done:
    case ActionState::resilvering:
      return Standing::done;
    case ActionState::lost:
      return Standing::lost;
    case ActionState::dry_run:
      return Standing::rehearsed;
    case ActionState::returning:
    case ActionState::returned:
      return Standing::none;
    case ActionState::waiting:
    case ActionState::refused:
    case ActionState::failed:
      break;
  }
  return held_up(action);
}

Promise promise_of(const Case& c, const Suspect& suspect, ActionKind kind) {
  Promise promise;
  promise.key = {kind, part_key(suspect)};
  promise.suspect = &suspect;
  const bool led = kind == ActionKind::fault_led;
  const Action* action = c.find_action(kind, led ? suspect.bay : suspect.asru);
  if (led && suspect.bay.empty()) promise.standing = Standing::no_led;
  if (!action || action->part.empty()) return promise;
  promise.standing = standing_of(*action);
  promise.running = action->state == ActionState::running;
  promise.waits = action->state == ActionState::waiting && action->obstacle == Obstacle::busy;
  promise.attempts = action->attempts;
  promise.detail = action->detail;
  return promise;
}

std::vector<ActionKind> announced(const Case& c, const Suspect& suspect) {
  std::vector<ActionKind> kinds;
  const RetirePolicy& policy = c.retire;
  if (!suspect.asru.empty() && !policy.first.empty()) {
    kinds.push_back(ActionKind::retire);
    if (policy.spare) kinds.push_back(ActionKind::spare);
    if (!policy.then.empty() && policy.then != policy.first)
      kinds.push_back(ActionKind::out_of_service);
  }
  if (!suspect.asru.empty() && policy.replace_same_bay) kinds.push_back(ActionKind::replace);
  if (c.led) kinds.push_back(ActionKind::fault_led);
  return kinds;
}

// Adjusts promises that depend on others about the same part.
void follow(std::vector<Promise>& of_part) {
  const auto any = [&](auto&& which) { return std::any_of(of_part.begin(), of_part.end(), which); };
  const bool rehearsed = any([](const Promise& p) { return p.standing == Standing::rehearsed; });
  const bool stays = any([](const Promise& p) {
    return p.key.kind == ActionKind::retire && is_broken(p.standing) && !is_trouble(p.standing) &&
           p.standing != Standing::rehearsed;
  });
  for (Promise& p : of_part) {
    const bool idle = p.standing == Standing::none || p.standing == Standing::coming;
    // The end of the scrub is news in a dry run as well: from then on fmd would act.
    if (idle && rehearsed && !p.waits) p.standing = Standing::rehearsed;
    if (idle && stays && !p.running && p.key.kind == ActionKind::spare)
      p.standing = Standing::stays_behind;
  }
}

}  // namespace

std::string_view standing_name(Standing standing) {
  return kStandings[static_cast<size_t>(standing)];
}

std::optional<Standing> parse_standing(std::string_view name) {
  const auto at = std::find(kStandings.begin(), kStandings.end(), name);
  if (at == kStandings.end()) return {};
  return static_cast<Standing>(at - kStandings.begin());
}

const std::string& part_key(const Suspect& suspect) {
  return suspect.asru.empty() ? suspect.resource : suspect.asru;
}

std::vector<Promise> promises_of(const Case& c) {
  std::vector<Promise> all;
  std::set<PromiseKey> seen;
  std::set<std::string> lit;  // FRUs: a disk may be suspected both as a disk and as a vdev
  for (const Suspect& suspect : c.suspects) {
    if (suspect.status != SuspectStatus::faulty) continue;
    std::vector<Promise> of_part;
    for (const ActionKind kind : announced(c, suspect)) {
      Promise promise = promise_of(c, suspect, kind);
      if (!seen.insert(promise.key).second) continue;
      if (kind == ActionKind::fault_led && !suspect.fru.empty() && !lit.insert(suspect.fru).second)
        continue;
      of_part.push_back(std::move(promise));
    }
    follow(of_part);
    all.insert(all.end(), std::make_move_iterator(of_part.begin()),
               std::make_move_iterator(of_part.end()));
  }
  return all;
}

}  // namespace fmd
