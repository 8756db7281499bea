#include "fmd/reconcile/part_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fmd/base/text.h"
#include "fmd/reconcile/blast_radius.h"

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
      steps_.push_back(show(ActionKind::replace, a_, ActionState::resilvering, Obstacle::none,
                            "the new disk resilvers"));
      return std::move(steps_);
    }
    if (!retired()) {
      announce();
      return std::move(steps_);
    }
    if (policy_.spare) spare();
    out_of_service();
    if (policy_.replace_same_bay) replace();
    return std::move(steps_);
  }

 private:
  bool is(ActionKind kind, ActionState state) const {
    const Action* action = case_.find_action(kind, a_.fmri);
    return action && action->state == state;
  }

  // Wishes the first level of retirement; true when it is reached and the rest may follow.
  bool retired() {
    const Service first = parse_service(policy_.first);
    if (service_rank(a_.service) >= service_rank(first)) {
      const bool ours = f_.done(InterventionKind::retire) != nullptr;
      steps_.push_back(show(
          ActionKind::retire, a_, ActionState::done, ours ? Obstacle::none : Obstacle::not_ours,
          fmt::format("{} is {}{}", a_.name, a_.state, ours ? "" : ", which was not fmd's doing")));
      return true;
    }
    // Told at once, though it may have changed by the end of what is waited for.
    if (!a_.retire_refusal.empty() && refused(ActionKind::retire, first)) return false;
    const bool worse =
        !policy_.wait_unless.empty() &&
        std::find(case_.rules.begin(), case_.rules.end(), policy_.wait_unless) != case_.rules.end();
    if (!policy_.wait_while.empty() && a_.busy == policy_.wait_while && !worse) {
      steps_.push_back(show(ActionKind::retire, a_, ActionState::waiting, Obstacle::busy,
                            fmt::format("until the {} has ended", policy_.wait_while)));
      return false;
    }
    if (refused(ActionKind::retire, first)) return false;
    Step::Order order{CommandName::retire, InterventionKind::retire, false, first,
                      retire_args(first, worse ? "" : policy_.wait_while)};
    steps_.push_back(send(ActionKind::retire, a_, std::move(order),
                          fmt::format("take {} {}", a_.name, words(first))));
    return false;
  }

  static std::string_view words(Service level) {
    return level == Service::degraded ? "to degraded" : "out of service";
  }

  // What is still to come is on the case from the start: it is not isolated while something is missing.
  void announce() {
    const auto later = [&](ActionKind kind) {
      const Action* known = case_.find_action(kind, a_.fmri);
      if (known && known->state == ActionState::lost) return;
      steps_.push_back(
          show(kind, a_, ActionState::planned, Obstacle::none, "after the retirement"));
      steps_.back().quiet = true;
    };
    if (policy_.spare && a_.spare == Asru::Spare::none) later(ActionKind::spare);
    if (policy_.spare && a_.spare != Asru::Spare::none) spare();
    if (!policy_.then.empty() && policy_.then != policy_.first) later(ActionKind::out_of_service);
  }

  bool refused(ActionKind action, Service to) {
    const auto refuse = [&](Obstacle obstacle, const std::string& reason, bool lasting) {
      steps_.push_back(show(action, a_, ActionState::refused, obstacle, reason));
      steps_.back().said = fmt::format("not taken {}: {}", words(to), reason);
      steps_.back().lasting = lasting;
      return true;
    };
    if (f_.refusal && f_.refusal->uuid == case_.uuid) {
      steps_.push_back(
          show(action, a_, ActionState::refused, f_.refusal->obstacle, f_.refusal->text));
      return true;
    }
    if (!a_.retire_refusal.empty())
      return refuse(Obstacle::last_copy, display(a_.retire_refusal), false);
    const int64_t since = add_times(f_.now.steady_ns, -f_.config.max_retired_within_ns);
    // What a case has begun is counted, and is not asked again whether it may go.
    const Intervention* begun = f_.done(InterventionKind::retire);
    if (begun && begun->owner.kind == Owner::Kind::acting_case && begun->since.steady_ns >= since)
      return false;
    const uint64_t others = others_retired(f_.interventions, a_.group, a_.fmri, since);
    if (a_.group.empty() || others < f_.config.max_retired) return false;
    return refuse(
        Obstacle::blast_radius,
        fmt::format("{} other {} of {} {} retired in the last {} ([action] max_retired in "
                    "fmd.toml)",
                    others, others == 1 ? "part" : "parts",
                    part_name(f_.engine.inventory(), a_.group), others == 1 ? "was" : "were",
                    format_duration(f_.config.max_retired_within_ns)),
        true);
  }

  void spare() {
    const Action* action = case_.find_action(ActionKind::spare, a_.fmri);
    if (a_.spare != Asru::Spare::none) {
      const bool ours = f_.done(InterventionKind::spare) != nullptr;
      steps_.push_back(show(ActionKind::spare, a_, ActionState::done,
                            ours ? Obstacle::none : Obstacle::not_ours,
                            ours ? "a spare is in use" : "a spare is in use, not by fmd's doing"));
      return;
    }
    // A spare was in and has left. A second one only if this part's errors went on after that: old
    // damage found once must not use up the spares (OpenZFS #13499).
    if (action && action->state == ActionState::done) {
      steps_.push_back(show(ActionKind::spare, a_, ActionState::lost, Obstacle::none,
                            "the spare has left; another is used only if the errors go on"));
      return;
    }
    if (action && action->state == ActionState::lost && case_.evidence_count <= action->evidence)
      return;
    if (a_.spare_available == false) {
      steps_.push_back(show(ActionKind::spare, a_, ActionState::waiting, Obstacle::no_spare,
                            "no spare available"));
      return;
    }
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
      steps_.push_back(show(ActionKind::out_of_service, a_, ActionState::done, Obstacle::none,
                            fmt::format("{} is {}", a_.name, a_.state)));
      return;
    }
    if (!wished) return;
    if (a_.spare == Asru::Spare::resilvering) {
      steps_.push_back(show(ActionKind::out_of_service, a_, ActionState::waiting, Obstacle::busy,
                            "until the spare has resilvered"));
      return;
    }
    if (a_.spare != Asru::Spare::active) return;
    if (refused(ActionKind::out_of_service, Service::out_of_service)) return;
    steps_.push_back(send(ActionKind::out_of_service, a_,
                          {CommandName::retire, InterventionKind::retire, false,
                           Service::out_of_service, retire_args(Service::out_of_service, "")},
                          fmt::format("take {} out of service", a_.name)));
  }

  // The person's part of the repair: the faulted disk left its bay and another sits there.
  void replace() {
    const Inventory& inventory = f_.engine.inventory();
    const auto suspect =
        std::find_if(case_.suspects.begin(), case_.suspects.end(), [&](const Suspect& s) {
          return s.asru == a_.fmri && s.status == SuspectStatus::faulty && !s.fru.empty();
        });
    if (suspect == case_.suspects.end() || service_rank(a_.service) < 2) return;
    const Resource* bay = inventory.find(suspect->bay);
    const Resource* old_disk = inventory.find(suspect->fru);
    if (!bay) return;
    const Resource* disk = nullptr;
    for (const Edge& e : bay->edges) {
      const Resource* r = e.relation == Relation::contains ? inventory.find(e.to) : nullptr;
      if (r && r->present && r->fmri != suspect->fru) disk = r;
    }
    if (!disk || (old_disk && old_disk->present && bay_of(*suspect, inventory) == bay->fmri))
      return;
    const std::string who = fmt::format("the new disk in {} (serial {})",
                                        display(bay->get("label")), display(disk->get("serial")));
    if (!f_.config.auto_replace) {
      steps_.push_back(show(ActionKind::replace, a_, ActionState::waiting, Obstacle::person,
                            who + " is not taken by itself ([action] auto_replace in fmd.toml)"));
    } else if (disk->is("content", "used")) {
      steps_.push_back(show(ActionKind::replace, a_, ActionState::waiting, Obstacle::not_accepted,
                            who + " is not blank"));
    } else if (disk->is("content", "blank")) {
      const nlohmann::json args{
          {"device", disk->fmri}, {"path", disk->get("path")}, {"blank", true}};
      steps_.push_back(send(
          ActionKind::replace, a_,
          {CommandName::replace, InterventionKind::replace, false, Service::unknown, args.dump()},
          fmt::format("replace {} by {}", a_.name, who)));
    }
  }

  const PartFacts& f_;
  const Asru& a_;
  const Case& case_;
  const RetirePolicy& policy_;
  std::vector<Step> steps_;
};

}  // namespace

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
    if (!a.present || !facts.fru_present) {
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
  // It may still come in: its plugin is asked to take it out again, which it answers once it knows.
  const bool unseen = a.spare == Asru::Spare::none;
  if (!unseen &&
      (a.service != Service::in_service || a.spare != Asru::Spare::active || !a.busy.empty())) {
    steps.push_back(show(
        ActionKind::spare, a, ActionState::returning, Obstacle::busy,
        fmt::format("the spare of {} goes back once {} holds all its data again", a.name, a.name)));
    return steps;
  }
  steps.push_back(undo_step(facts, *spare));
  return steps;
}

}  // namespace fmd
