#include "fmd/reconcile/settle.h"

#include <algorithm>
#include <optional>

#include "fmd/reconcile/observed.h"

namespace fmd {
namespace {

using How = Settled::How;
using State = Intervention::State;

struct Verdict {
  How how;
  bool back_in_service = false, by_restart = false;
};

std::optional<Verdict> settle_retire(const Intervention& i, const Asru& a, bool may_still_come) {
  if (!a.present || a.service == Service::unknown) return {};
  if (a.out_by(i)) {
    // The next level is requested; the previous one is still in force.
    if (i.state != State::intended || a.retired_by != i.key) return {};
    return Verdict{How::came_true};
  }
  // The observed state may be older than the request: only the answer ends the wait.
  const bool in_service = a.service == Service::in_service;
  if (i.state == State::undoing && i.asked && in_service) return {};
  if (i.state == State::in_force) return Verdict{How::theirs, in_service, a.by_restart};
  // It cannot be restored before the next boot: when its plugin says so, nothing remains to be
  // undone.
  if (i.state == State::undoing && a.until_boot && a.retired_by.empty())
    return Verdict{How::undone};
  if (i.state == State::undoing) return Verdict{in_service ? How::undone : How::theirs, in_service};
  // A late effect is recognised by its key.
  if (service_rank(a.service) >= service_rank(i.level)) return Verdict{How::theirs};
  const bool was_degraded = !i.level_key.empty();
  if (was_degraded && !may_still_come) return Verdict{How::theirs, in_service};
  return {};
}

std::optional<Verdict> settle_spare(const Intervention& i, const Asru& a) {
  if (!a.present) return {};
  if (i.state == State::undoing && i.asked) return {};
  if (a.spare == Asru::Spare::none) {
    if (i.state == State::undoing) return Verdict{How::undone};
    if (i.state == State::in_force) return Verdict{How::ended};
    return {};
  }
  if (!a.spare_key.empty() && a.spare_key == i.key)
    return i.state == State::intended ? std::optional(Verdict{How::came_true}) : std::nullopt;
  return Verdict{How::theirs};
}

// A first new disk that is itself broken is not the second one's replacement.
std::optional<Verdict> settle_replace(const Intervention& i, const Asru& a,
                                      const Inventory& inventory, bool may_still_come) {
  if (!a.present) return {};
  const auto newcomer = observe(inventory, a.replacing);
  const bool broken = newcomer && service_rank(newcomer->service) >= 2;
  if (!a.replacing.empty() && broken && i.state == State::intended) return {};
  if (!a.replacing.empty())
    return i.state == State::intended ? std::optional(Verdict{How::came_true}) : std::nullopt;
  if (i.state != State::intended && !may_still_come) return Verdict{How::ended};
  return {};
}

// A light has no memory of who lit it: what fmd asked for and is so counts as fmd's.
std::optional<Verdict> settle_light(const Intervention& i, const Resource& bay, bool undo_waits) {
  const bool on = bay.is(i.kind == InterventionKind::fault_led ? "led.fault" : "led.locate", "on");
  if (on && i.state == State::intended)
    return Verdict{i.asked || i.may_be_done ? How::came_true : How::theirs};
  // Switched off, which its plugin has read back, and on again.
  if (on && i.state == State::undoing && !i.asked && !i.may_be_done && !undo_waits)
    return Verdict{How::theirs};
  if (on) return {};
  if (i.state == State::undoing && !i.asked) return Verdict{How::undone};
  return {};
}

std::optional<Verdict> judge(const Intervention& i, const Engine& engine, const Flights& flights,
                             Moment now) {
  const Resource* r = engine.inventory().find(i.part);
  if (!r) return Verdict{How::ended};
  if (flights.under_way(i.part)) return {};
  if (i.kind == InterventionKind::fault_led || i.kind == InterventionKind::locate_led)
    return settle_light(i, *r, flights.waits({i.kind, true, i.part}, now.steady_ns));
  const auto a = observe(engine.inventory(), i.part);
  if (!a) return {};
  const bool waits = flights.waits({i.kind, false, i.part}, now.steady_ns);
  const bool may_still_come = i.asked || waits;
  if (i.kind == InterventionKind::retire) return settle_retire(i, *a, may_still_come);
  if (i.kind == InterventionKind::spare) return settle_spare(i, *a);
  return settle_replace(i, *a, engine.inventory(), may_still_come);
}

// At the head of a command's key: "UUID:…" of a case, "person-root:…".
std::string owner_of(std::string_view key) {
  return std::string(key.substr(0, key.find(':')));
}

bool is_case_id(std::string_view word) {
  constexpr size_t kUuid = 36;
  return word.size() == kUuid && word.find_first_not_of("0123456789abcdef-") == word.npos;
}

// Done for a case that is lost, regardless of its present owner.
bool is_of_lost_case(const Intervention* i, const Engine& engine) {
  if (!i) return false;
  const std::string word = owner_of(i->key);
  return is_case_id(word) && !engine.find_case(word);
}

// The retirements and spares of the disks in that bay that were carried out for lost cases.
std::vector<const Intervention*> of_lost_cases(const Resource& bay, const Engine& engine,
                                               const Interventions& interventions) {
  std::vector<const Intervention*> out;
  const Inventory& inventory = engine.inventory();
  for (const Edge& edge : bay.edges) {
    if (edge.relation != Relation::contains) continue;
    for (const Resource* user : inventory.parents(edge.to, Relation::redundancy))
      for (const InterventionKind kind : {InterventionKind::retire, InterventionKind::spare})
        if (const Intervention* done = interventions.find(kind, user->fmri);
            is_of_lost_case(done, engine))
          out.push_back(done);
  }
  return out;
}

void leave_light(const Resource& bay, const Engine& engine, Interventions& interventions) {
  for (const Intervention* done : of_lost_cases(bay, engine, interventions)) {
    if (done->light_is_theirs) continue;
    Intervention next = *done;
    next.light_is_theirs = true;
    interventions.put(std::move(next));
  }
}

// A light does not record who lit it. On a disk that fmd retired for a lost case, it was that
// case's, unless it has been seen off since: then someone else has lit it.
void adopt_light(const Resource& bay, const Engine& engine, Interventions& interventions) {
  if (bay.type != "bay" || interventions.find(InterventionKind::fault_led, bay.fmri)) return;
  if (bay.is("led.fault", "off")) return leave_light(bay, engine, interventions);
  if (!bay.is("led.fault", "on")) return;
  const auto done = of_lost_cases(bay, engine, interventions);
  const auto theirs = [](const Intervention* i) { return i->light_is_theirs; };
  if (done.empty() || std::any_of(done.begin(), done.end(), theirs)) return;
  Intervention lit;
  lit.kind = InterventionKind::fault_led;
  lit.part = bay.fmri;
  lit.owner = done.front()->owner;
  lit.state = State::in_force;
  lit.since = done.front()->since;
  lit.key = done.front()->key;
  interventions.put(std::move(lit));
}

}  // namespace

std::vector<Settled> settle(std::string_view part, const Engine& engine, const Flights& flights,
                            Interventions& interventions, Moment now) {
  std::vector<Settled> out;
  for (const InterventionKind kind :
       {InterventionKind::retire, InterventionKind::spare, InterventionKind::replace,
        InterventionKind::fault_led, InterventionKind::locate_led}) {
    const Intervention* found = interventions.find(kind, part);
    const auto verdict = found ? judge(*found, engine, flights, now) : std::nullopt;
    if (!verdict) continue;
    out.push_back({verdict->how, *found, verdict->back_in_service, verdict->by_restart});
    if (verdict->how == How::came_true) {
      Intervention next = *found;
      next.state = State::in_force;
      next.asked = false;
      next.level_key.clear();
      interventions.put(std::move(next));
    } else {
      if (verdict->how == How::theirs && kind == InterventionKind::retire &&
          !verdict->back_in_service)
        interventions.taken_over(*found);
      else
        interventions.erase(found->id());
      // Otherwise it would be adopted and switched off again without end.
      const Resource* bay = kind == InterventionKind::fault_led && verdict->how == How::theirs
                                ? engine.inventory().find(part)
                                : nullptr;
      if (bay) leave_light(*bay, engine, interventions);
    }
  }
  return out;
}

std::vector<Settled> adopt(std::string_view part, const Engine& engine, const Flights& flights,
                           Interventions& interventions, Moment now) {
  std::vector<Settled> out;
  const Resource* r = engine.inventory().find(part);
  if (r) adopt_light(*r, engine, interventions);
  if (!r || (r->get("retired_by").empty() && r->get("spare_key").empty())) return out;  // most
  const auto a = observe(engine.inventory(), part);
  if (!a || !a->present || flights.under_way(part)) return out;
  const auto take = [&](InterventionKind kind, const std::string& key, Service level) {
    if (key.empty() || interventions.find(kind, part)) return;
    const std::string word = owner_of(key);
    const bool person = word.starts_with("person-");
    const Case* owner = person ? nullptr : engine.find_case(word);
    const bool forgotten = !person && !owner;
    if (forgotten && !is_case_id(word)) return;
    Intervention i;
    i.kind = kind;
    i.part = part;
    i.group = a->group;
    i.level = level;
    // A resolved case no longer acts: a person decides whether to undo it.
    i.owner = person                       ? Owner{Owner::Kind::person, word.substr(7)}
              : forgotten || owner->open() ? Owner{Owner::Kind::acting_case, word}
                                           : Owner{Owner::Kind::person, "fmd"};
    i.state = State::in_force;
    i.since = now;
    i.key = key;
    out.push_back({How::came_true, i});
    interventions.put(std::move(i));
  };
  take(InterventionKind::retire, a->retired_by, a->service);
  if (a->spare != Asru::Spare::none) take(InterventionKind::spare, a->spare_key, Service::unknown);
  // Its bay may have been looked at before.
  if (const Resource* disk = engine.inventory().descend(part, Relation::redundancy, "dev"))
    for (const Resource* bay : engine.inventory().parents(disk->fmri, Relation::contains))
      adopt_light(*bay, engine, interventions);
  return out;
}

}  // namespace fmd
