#include "fmd/reconcile/part_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/counted.h"
#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "fmd/model/no_spare.h"
#include "fmd/model/only_copy.h"
#include "fmd/model/part_name.h"
#include "fmd/model/scan_noun.h"
#include "fmd/reconcile/blast_radius.h"
#include "fmd/reconcile/replacement.h"

namespace fmd {
namespace {

Step show(ActionKind action, const Asru& a, ActionState state, Obstacle obstacle,
          std::string detail) {
  Step s;
  s.action = action;
  s.part = a.fmri;
  s.state = state;
  s.obstacle = obstacle;
  s.detail = std::move(detail);
  return s;
}

Step send(ActionKind action, const Asru& a, Step::Order order, std::string text) {
  Step s = show(action, a, ActionState::running, Obstacle::none, std::move(text));
  s.command = std::move(order);
  return s;
}

std::string retire_args(Service to, std::string_view unless_busy) {
  nlohmann::json args{{"to", service_name(to)}};
  if (!unless_busy.empty()) args["unless_busy"] = unless_busy;
  return args.dump();
}

std::string key_args(std::string_view key) {
  return nlohmann::json{{"key", key}}.dump();
}

class FaultyPart {
 public:
  FaultyPart(const PartFacts& facts, const Case& owner)
      : f_(facts), a_(facts.asru), case_(owner), policy_(owner.retire) {}

  std::vector<Step> plan() {
    if (!a_.present || a_.service == Service::unknown) return {};
    if (!a_.replacing.empty()) {
      resilver();
      return std::move(steps_);
    }
    if (policy_.first.empty()) {  // it wants only the new disk
      replace();
      return std::move(steps_);
    }
    const bool out = retired();
    if (policy_.spare && (out || in_vain() || a_.spare != Asru::Spare::none)) spare();
    if (!out) {
      announce();
      return std::move(steps_);
    }
    out_of_service();
    if (policy_.replace_same_bay) replace();
    return std::move(steps_);
  }

 private:
  bool is(ActionKind kind, ActionState state) const {
    const Action* action = case_.find_action(kind, a_.fmri);
    return action && action->state == state;
  }

  bool failed() const { return is(ActionKind::retire, ActionState::failed); }

  // The first level cannot be had: its command fails, or it is the last copy, which needs a spare most.
  bool in_vain() const {
    const Action* retire = case_.find_action(ActionKind::retire, a_.fmri);
    return failed() || (retire && retire->state == ActionState::refused &&
                        retire->obstacle == Obstacle::last_copy);
  }

  // A part that cannot be degraded is faulted as soon as the spare holds its data.
  Service first_level() const {
    const bool further = failed() && !policy_.then.empty() && a_.spare == Asru::Spare::active;
    return parse_service(further ? policy_.then : policy_.first);
  }

  std::string out_by(bool ours) const {
    const Suspect* s = suspect();
    return out_words(a_, s ? s->location : "", ours);
  }

  // Wishes the first level of retirement; true when it is reached and the rest may follow.
  bool retired() {
    const Service first = first_level();
    if (service_rank(a_.service) >= service_rank(first)) {
      const bool ours = f_.done(InterventionKind::retire) != nullptr;
      const Obstacle whose = ours ? Obstacle::none : Obstacle::not_ours;
      const Action* known = case_.find_action(ActionKind::retire, a_.fmri);
      out_is_news_ = !known || known->state != ActionState::done || known->obstacle != whose;
      steps_.push_back(show(ActionKind::retire, a_, ActionState::done, whose, out_by(ours)));
      return true;
    }
    // Reported at once, although it may have changed when the wait ends.
    if (!may_not(first).empty() && refused(ActionKind::retire, first)) return false;
    const bool worse =
        !policy_.wait_unless.empty() &&
        std::find(case_.rules.begin(), case_.rules.end(), policy_.wait_unless) != case_.rules.end();
    // A raidz that grows is as busy as one that is scrubbed.
    const bool busy =
        !policy_.wait_while.empty() &&
        (a_.busy == policy_.wait_while || (policy_.wait_while == "scrub" && a_.busy == "expand"));
    if (busy && !worse) {
      wait(ActionKind::retire, first,
           fmt::format("until the {} has ended", scan_noun(a_.fmri, a_.busy)));
      return false;
    }
    if (refused(ActionKind::retire, first)) return false;
    if (await_others(ActionKind::retire)) return false;
    Step::Order order{CommandName::retire, InterventionKind::retire, false, first,
                      retire_args(first, worse ? "" : policy_.wait_while)};
    steps_.push_back(send(ActionKind::retire, a_, std::move(order),
                          first == Service::degraded ? "mark " + a_.name + " degraded"
                                                     : "take " + a_.name + " out of service"));
    return false;
  }

  static std::string_view words(Service level) {
    return level == Service::degraded ? "marked degraded" : "taken out of service";
  }

  // The timeline, also shown in mails, must name the waiting action.
  void wait(ActionKind action, Service to, const std::string& until) {
    steps_.push_back(show(action, a_, ActionState::waiting, Obstacle::busy, until));
    steps_.back().said = fmt::format("{} is not {} {}", a_.name, words(to), until);
  }

  // Until Case::acts_at_ns fmd only watches whether more disks fail.
  bool await_others(ActionKind action) {
    if (case_.acts_at_ns == 0) return false;
    steps_.push_back(show(action, a_, ActionState::waiting, Obstacle::none, ""));
    steps_.back().quiet = true;
    return true;
  }

  // Future actions are on the case from the start: the part is not isolated while one is missing.
  void announce() {
    const auto later = [&](ActionKind kind) {
      const Action* known = case_.find_action(kind, a_.fmri);
      if (known && known->state == ActionState::lost) return;
      steps_.push_back(show(kind, a_, ActionState::planned, Obstacle::none,
                            "once the part is degraded or out of service"));
      steps_.back().quiet = true;
    };
    // That there is no spare is known now, and reported with the verdict instead of later.
    const bool comes = policy_.spare && a_.spare == Asru::Spare::none && !in_vain();
    if (comes && a_.spare_available == false && !retirement_refused())
      spare();
    else if (comes)
      later(ActionKind::spare);
    if (policy_.then.empty() || policy_.then == policy_.first) return;
    if (!last_copy_told()) later(ActionKind::out_of_service);
  }

  // By this plan. The spare stays behind with it then, whether there is one or not.
  bool retirement_refused() const {
    return std::any_of(steps_.begin(), steps_.end(), [](const Step& s) {
      return s.action == ActionKind::retire && s.state == ActionState::refused;
    });
  }

  // No other copy exists or is being made, so the case says from the start not to pull this disk.
  bool last_copy_told() {
    return a_.spare == Asru::Spare::none && a_.spare_available == false &&
           !a_.retire_refusal.empty() &&
           refused(ActionKind::out_of_service, Service::out_of_service);
  }

  // Degrading takes no copy away.
  const std::string& may_not(Service to) const {
    return to == Service::degraded ? a_.degrade_refusal : a_.retire_refusal;
  }

  bool refused(ActionKind action, Service to) {
    const auto refuse = [&](Obstacle obstacle, const std::string& reason, bool lasting) {
      steps_.push_back(show(action, a_, ActionState::refused, obstacle, reason));
      steps_.back().said = fmt::format("not {}: {}", words(to), reason);
      steps_.back().lasting = lasting;
      return true;
    };
    if (f_.refusal && f_.refusal->uuid == case_.uuid) {
      steps_.push_back(
          show(action, a_, ActionState::refused, f_.refusal->obstacle, f_.refusal->text));
      return true;
    }
    if (const std::string& doubt = case_.undecided(); !doubt.empty()) {
      refuse(Obstacle::undecided, doubt, false);
      steps_.back().said = fmt::format("{} is not {} until that is decided", a_.name, words(to));
      return true;
    }
    if (const std::string doubt = f_.doubt(); !doubt.empty())
      return refuse(Obstacle::disputed, doubt, false);
    if (!may_not(to).empty()) return refuse(Obstacle::last_copy, display(may_not(to)), false);
    const int64_t since = add_times(f_.now.steady_ns, -f_.config.max_retired_within_ns);
    // Actions that a case has begun count, and are not checked again.
    const Intervention* begun = f_.done(InterventionKind::retire);
    if (begun && begun->owner.kind == Owner::Kind::acting_case && begun->since.steady_ns >= since)
      return false;
    const uint64_t others = others_retired(
        f_.interventions, a_.group, a_.fmri, since,
        [this](const std::string& part) { return unit_of(f_.engine.inventory(), part); });
    if (a_.group.empty() || others < f_.config.max_retired) return false;
    return refuse(
        Obstacle::blast_radius,
        fmt::format("{} of {} {} retired in the last {} ([action] max_retired in fmd.toml)",
                    counted(others, "other part"), name_in_place(f_.engine.inventory(), a_.group),
                    others == 1 ? "was" : "were", format_duration(f_.config.max_retired_within_ns)),
        true);
  }

  void spare() {
    const Resource* part = f_.engine.inventory().find(a_.fmri);
    if (part && part->is("takes_spare", "false") && a_.spare == Asru::Spare::none) return;
    const Action* action = case_.find_action(ActionKind::spare, a_.fmri);
    if (a_.spare != Asru::Spare::none) {
      const bool ours = f_.done(InterventionKind::spare) != nullptr;
      const bool full = a_.spare == Asru::Spare::active;
      const std::string detail(full ? "the spare holds all its data" : "the spare is being filled");
      steps_.push_back(show(ActionKind::spare, a_,
                            full ? ActionState::done : ActionState::resilvering,
                            ours ? Obstacle::none : Obstacle::not_ours,
                            detail + (ours ? "" : "; fmd did not bring it in")));
      return;
    }
    if (const std::string& doubt = case_.undecided(); !doubt.empty()) {
      steps_.push_back(
          show(ActionKind::spare, a_, ActionState::waiting, Obstacle::undecided, doubt));
      steps_.back().said =
          fmt::format("no spare is brought in for {} until that is decided", a_.name);
      return;
    }
    // A spare was in and has left. A second one only if this part's errors went on after that: old
    // damage found once must not use up the spares (OpenZFS #13499).
    if (action &&
        (action->state == ActionState::done || action->state == ActionState::resilvering)) {
      steps_.push_back(show(ActionKind::spare, a_, ActionState::lost, Obstacle::none,
                            "the spare has left; another is used only if the errors continue"));
      return;
    }
    if (action && action->state == ActionState::lost && case_.evidence_count <= action->evidence)
      return;
    if (a_.spare_available == false) {
      std::string why(a_.spare_refusal.empty() ? "no spare available" : kNoSpareBecause);
      why += display(a_.spare_refusal);
      steps_.push_back(show(ActionKind::spare, a_, ActionState::waiting, Obstacle::no_spare, why));
      return;
    }
    if (await_others(ActionKind::spare)) return;
    steps_.push_back(
        send(ActionKind::spare, a_,
             {CommandName::spare_in, InterventionKind::spare, false, Service::unknown, "{}"},
             fmt::format("bring a spare in for {}", a_.name)));
  }

  void out_of_service() {
    const bool wished = policy_.then == "out-of-service" && policy_.first != policy_.then;
    // Announced before the policy went further at once.
    if (!wished && !case_.find_action(ActionKind::out_of_service, a_.fmri)) return;
    if (service_rank(a_.service) >= 2) {
      steps_.push_back(
          show(ActionKind::out_of_service, a_, ActionState::done, Obstacle::none, out_by(true)));
      steps_.back().quiet = out_is_news_;
      return;
    }
    if (!wished) return;
    if (a_.spare == Asru::Spare::resilvering) {
      wait(ActionKind::out_of_service, Service::out_of_service,
           "until the spare holds all its data");
      return;
    }
    if (a_.spare != Asru::Spare::active) {
      last_copy_told();
      return;
    }
    if (refused(ActionKind::out_of_service, Service::out_of_service)) return;
    if (await_others(ActionKind::out_of_service)) return;
    if (const int64_t until_ns = held_until()) {
      wait(ActionKind::out_of_service, Service::out_of_service,
           fmt::format("until it has been degraded for {}, unless its errors continue",
                       format_duration(policy_.then_after_ns)));
      steps_.back().again_ns = until_ns;
      return;
    }
    steps_.push_back(send(ActionKind::out_of_service, a_,
                          {CommandName::retire, InterventionKind::retire, false,
                           Service::out_of_service, retire_args(Service::out_of_service, "")},
                          fmt::format("take {} out of service", a_.name)));
  }

  // Time for a person at the machine, or for a test of the disk, to finish; 0: it may go now.
  int64_t held_until() const {
    const Intervention* done = f_.done(InterventionKind::retire);
    if (done && !done->level_key.empty()) return 0;  // it was begun
    const Moment since = done ? done->since : Moment{case_.solved_ns, case_.solved_steady_ns};
    const int64_t until_ns = add_times(since.steady_ns, policy_.then_after_ns);
    if (f_.now.steady_ns >= until_ns) return 0;
    const int64_t late_ns = add_times(since.wall_ns, policy_.then_grace_ns);
    const bool goes_on = !case_.evidence.empty() && case_.evidence.back().time_ns > late_ns;
    return goes_on ? 0 : until_ns;
  }

  const Suspect* suspect() const {
    const auto at =
        std::find_if(case_.suspects.begin(), case_.suspects.end(), [&](const Suspect& s) {
          return s.asru == a_.fmri && s.status == SuspectStatus::faulty && !s.fru.empty();
        });
    return at == case_.suspects.end() ? nullptr : &*at;
  }

  void hold_up(Obstacle obstacle, std::string why) {
    steps_.push_back(show(ActionKind::replace, a_, ActionState::waiting, obstacle, std::move(why)));
  }

  // The timeline has the news; the way out is in the case's steps.
  void turn_down(const std::string& who, const Fitness& fit, const std::string& by_hand) {
    std::string news = fmt::format("{} {}", who, fit.why);
    hold_up(Obstacle::not_accepted, fmt::format("{}. {}", news, by_hand));
    steps_.back().said = std::move(news);
    steps_.back().unfit = fit.unfit;
    steps_.back().unfit_why = fit.why;
  }

  // The person's part of the repair: the faulted disk left its bay and another sits there.
  void replace() {
    const Suspect* s = suspect();
    if (!s || service_rank(a_.service) < 2) return;
    const Inventory& inventory = f_.engine.inventory();
    const Resource* old_disk = inventory.find(s->fru);
    const Newcomers found = newcomers(f_.engine, f_.bays, case_, *s);
    const bool stays = old_disk && old_disk->present && bay_of(*s, inventory) == s->bay;
    if (found.in_place)
      take(*found.in_place, found.in_place == old_disk ? nullptr : old_disk);
    else if (found.in_bay && !stays)
      take(*found.in_bay, old_disk);
    else
      offer(found.elsewhere, old_disk, s->location);
  }

  void take(const Resource& disk, const Resource* old_disk) {
    // A part that may hold the only copy of its data must be brought back, not replaced.
    if (!a_.replace_refusal.empty())
      return hold_up(Obstacle::last_copy, display(a_.replace_refusal));
    const Fitness fit = fitness(f_.engine.inventory(), a_.fmri, old_disk, disk);
    if (fit.waits) return;
    const std::string who = new_disk_name(f_.engine.inventory(), disk);
    const std::string by_hand = how_to_take(a_.fmri, disk, fit);
    // What fmd has begun to put on it makes it no stranger: the pool shows it later than the disk does.
    const Intervention* begun = f_.done(InterventionKind::replace);
    const bool ours = fit.unfit == Unfit::not_blank && begun && begun->with == disk.fmri;
    // In the place of a spare that is gone, ZFS may fill it for the disk that the spare stood in for.
    if (fit.unfit == Unfit::in_use && begun && begun->with == disk.fmri &&
        is_being_filled(f_.engine.inventory(), disk)) {
      steps_.push_back(show(ActionKind::replace, a_, ActionState::resilvering, Obstacle::none,
                            "the new disk is being filled"));
      return;
    }
    if (fit.unfit != Unfit::none && !ours) return turn_down(who, fit, by_hand);
    if (!f_.config.auto_replace)
      return hold_up(
          Obstacle::person,
          fmt::format("{} is not used automatically ([action] auto_replace in fmd.toml). {}", who,
                      by_hand));
    nlohmann::json args = replacement_args(disk);
    args["blank"] = true;
    steps_.push_back(send(ActionKind::replace, a_,
                          {CommandName::replace, InterventionKind::replace, false, Service::unknown,
                           args.dump(), disk.fmri},
                          fmt::format("replace {} by {}", a_.name, who)));
  }

  // In other bays: which part they are meant for only a person knows.
  void offer(const std::vector<const Resource*>& disks, const Resource* old_disk,
             const std::string& where) {
    Offer offer = offer_of(f_.engine.inventory(), a_.fmri, disks, old_disk, where);
    if (offer.news.empty()) return;
    hold_up(Obstacle::not_accepted, fmt::format("{}. {}", offer.news, offer.by_hand));
    steps_.back().said = std::move(offer.news);
    steps_.back().unfit_why = std::move(offer.allowed);
  }

  // The new disk is itself gone or broken before it holds the data.
  void resilver() {
    const Inventory& inventory = f_.engine.inventory();
    const auto newcomer = observe(inventory, a_.replacing);
    const Suspect* s = suspect();
    if (const Resource* vdev = inventory.find(a_.fmri);
        vdev && spare_taking_over(inventory, *vdev)) {
      steps_.push_back(show(ActionKind::spare, a_, ActionState::resilvering, Obstacle::none,
                            "the hot spare takes its place"));
      return;
    }
    if (!newcomer || service_rank(newcomer->service) < 2 || !s) {
      steps_.push_back(show(ActionKind::replace, a_, ActionState::resilvering, Obstacle::none,
                            "the new disk is being filled"));
      return;
    }
    const Resource* second = newcomers(f_.engine, nullptr, case_, *s).in_bay;
    const Resource* first = inventory.descend(a_.replacing, Relation::redundancy, "dev");
    if (second && second != first) return take(*second, inventory.find(s->fru));
    hold_up(Obstacle::not_accepted, why_unfilled(a_, *newcomer));
  }

  const PartFacts& f_;
  const Asru& a_;
  const Case& case_;
  const RetirePolicy& policy_;
  bool out_is_news_ = false;  // retired() has reported the part's state for the first time
  std::vector<Step> steps_;
};

}  // namespace

std::string PartFacts::doubt() const {
  const std::string other = disk ? disk->get("disputed") : "";
  return other.empty() ? "" : "its disk cannot be identified for certain: " + display(other);
}

std::vector<Step> plan_faulty(const PartFacts& facts, const Case& owner) {
  return FaultyPart(facts, owner).plan();
}

Step undo_step(const PartFacts& facts, const Intervention& done) {
  const Asru& a = facts.asru;
  if (done.kind == InterventionKind::spare)
    return send(ActionKind::spare, a,
                {CommandName::spare_out, InterventionKind::spare, true, Service::unknown,
                 key_args(done.key)},
                fmt::format("return the spare of {}", a.name));
  const bool persons = done.owner.kind == Owner::Kind::person;
  return send(ActionKind::retire, a,
              {CommandName::restore, InterventionKind::retire, true, Service::unknown,
               persons ? R"({"by":"person"})" : key_args(a.out_by(done) ? a.retired_by : done.key)},
              fmt::format("put {} back into service", a.name));
}

Step return_step(const PartFacts& facts) {
  return send(ActionKind::retire, facts.asru,
              {CommandName::restore, InterventionKind::retire, true, Service::in_service,
               R"({"by":"return"})"},
              fmt::format("bring {} back", facts.asru.name));
}

std::vector<Step> plan_give_back(const PartFacts& facts) {
  const Asru& a = facts.asru;
  std::vector<Step> steps;
  const auto owed = [&](InterventionKind kind) {
    const Intervention* i = facts.done(kind);
    // A person's word that keeps it in service undoes what any owner did.
    const bool mine = i && (i->owner.kind == Owner::Kind::acting_case || facts.kept_by);
    return mine ? i : nullptr;
  };
  if (const Intervention* i = owed(InterventionKind::retire)) {
    if (!a.present || !facts.fru_present()) {
      steps.push_back(
          show(ActionKind::retire, a, ActionState::returning, Obstacle::none,
               fmt::format("{} is put back into service when it is there again", a.name)));
    } else {
      steps.push_back(undo_step(facts, *i));
    }
    return steps;
  }
  const Intervention* spare = owed(InterventionKind::spare);
  if (!spare || !a.present) return steps;
  // It may still come in, so ask its plugin to take it out again.
  const bool unseen = a.spare == Asru::Spare::none;
  if (!unseen &&
      (a.service != Service::in_service || a.spare != Asru::Spare::active ||
       !(a.busy.empty() || a.busy == "expand"))) {  // an expansion waits for the spare to go
    steps.push_back(show(
        ActionKind::spare, a, ActionState::returning, Obstacle::busy,
        fmt::format("the spare of {} goes back once {} holds all its data again", a.name, a.name)));
    return steps;
  }
  steps.push_back(undo_step(facts, *spare));
  return steps;
}

}  // namespace fmd
