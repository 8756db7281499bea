#include "fmd/reconcile/case_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fmd/base/text.h"

namespace fmd {
namespace {

// How far out of service: what a policy word or an observed `service` word amounts to.
int rank(std::string_view service) {
  if (service == "degraded") return 1;
  if (service == "out-of-service" || service == "removed") return 2;
  return 0;
}

std::string name_of(const Resource& r) {
  const std::string name = r.get("name");
  return display(name.empty() ? r.fmri : name);
}

std::string args_to(std::string_view level, std::string_view unless_busy = "") {
  nlohmann::json args{{"to", level}};
  if (!unless_busy.empty()) args["unless_busy"] = unless_busy;
  return args.dump();
}

std::string led_args(bool on) {
  return nlohmann::json{{"indication", "fault"}, {"on", on}}.dump();
}

bool action_is(const Case& c, const std::string& name, std::string_view state) {
  auto it = c.actions.find(name);
  return it != c.actions.end() && it->second.state == state;
}

Step satisfied(std::string action, std::string resource, std::string state, std::string detail) {
  Step s;
  s.kind = Step::Kind::satisfied;
  s.action = std::move(action);
  s.resource = std::move(resource);
  s.state = std::move(state);
  s.detail = std::move(detail);
  return s;
}

Step blocked(std::string action, std::string resource, std::string state, std::string detail) {
  Step s = satisfied(std::move(action), std::move(resource), std::move(state), std::move(detail));
  s.kind = Step::Kind::blocked;
  return s;
}

Step command(std::string action, std::string name, std::string resource, std::string args,
             std::string text) {
  Step s;
  s.kind = Step::Kind::command;
  s.action = std::move(action);
  s.command = std::move(name);
  s.resource = std::move(resource);
  s.args = std::move(args);
  s.text = std::move(text);
  return s;
}

// Plans one suspect's ASRU. A class only to share the many references.
class AsruPlan {
 public:
  AsruPlan(const Case& c, const Suspect& s, const Resource& r, const Engine& engine,
           const ActionConfig& config, int64_t now_ns)
      : case_(c), suspect_(s), asru_(r), engine_(engine), config_(config), now_ns_(now_ns) {}

  std::vector<Step> faulty() {
    if (asru_.is("service", "unknown") || !asru_.present) return {};
    if (!asru_.get("replacing").empty()) {
      steps_.push_back(
          satisfied(key("replace"), asru_.fmri, "resilvering", "the new disk resilvers"));
      return std::move(steps_);
    }
    if (case_.retire.first.empty()) return {};
    if (!retired()) {
      announce();
      return std::move(steps_);
    }
    if (case_.retire.spare) spare();
    out_of_service();
    if (case_.retire.replace_same_bay) replace();
    return std::move(steps_);
  }

  // The suspect is not faulty any more: give back what this case took.
  std::vector<Step> give_back() {
    if (!asru_.present) return {};
    const bool ours =
        action_is(case_, key("retire"), "done") || action_is(case_, key("out-of-service"), "done");
    if (ours && !asru_.is("service", "in-service")) {
      Step s = command(key("restore"), "restore", asru_.fmri, "{}",
                       fmt::format("put {} back into service", name_of(asru_)));
      steps_.push_back(std::move(s));
      return std::move(steps_);
    }
    if (action_is(case_, key("spare"), "done") && asru_.is("service", "in-service") &&
        asru_.is("spare", "active") && asru_.get("busy").empty()) {
      Step s = command(key("spare"), "spare_out", asru_.fmri, "{}",
                       fmt::format("return the spare of {}", name_of(asru_)));
      s.done_state = "returned";
      steps_.push_back(std::move(s));
    }
    return std::move(steps_);
  }

 private:
  // Several ASRUs in one case: the first has the plain action names.
  std::string key(std::string_view action) const {
    const bool first = case_.suspects.empty() || case_.suspects.front().asru == suspect_.asru;
    return first ? std::string(action) : fmt::format("{} {}", action, suspect_.asru);
  }

  // Wishes the first level of retirement; true when it is reached and the rest may follow.
  bool retired() {
    const RetirePolicy& policy = case_.retire;
    const std::string action = key("retire");
    if (rank(asru_.get("service")) >= rank(policy.first)) {
      const bool ours = case_.actions.count(action) && action_is(case_, action, "done");
      if (!ours)
        steps_.push_back(satisfied(action, asru_.fmri, "done",
                                   fmt::format("{} is {}", name_of(asru_), state_word())));
      return true;
    }
    const bool worse =
        !policy.wait_unless.empty() &&
        std::find(case_.rules.begin(), case_.rules.end(), policy.wait_unless) != case_.rules.end();
    if (!policy.wait_while.empty() && asru_.is("busy", policy.wait_while) && !worse) {
      steps_.push_back(blocked(action, asru_.fmri, "waiting",
                               fmt::format("until the {} has ended", policy.wait_while)));
      return false;
    }
    if (refused(action, policy.first)) return false;
    steps_.push_back(command(action, "retire", asru_.fmri,
                             args_to(policy.first, worse ? "" : policy.wait_while),
                             fmt::format("take {} to {}", name_of(asru_), policy.first)));
    return false;
  }

  // What is still to come is on the case from the start: it is not isolated while something is
  // missing.
  void announce() {
    const auto later = [&](std::string_view action) {
      if (case_.actions.count(key(action))) return;
      steps_.push_back(blocked(key(action), asru_.fmri, "waiting", "after the retirement"));
      steps_.back().quiet = true;
    };
    if (case_.retire.spare) later("spare");
    if (!case_.retire.then.empty()) later("out-of-service");
  }

  bool refused(const std::string& action, std::string_view to) {
    std::string reason = asru_.get("retire_refusal");
    const std::string group = asru_.get("group");
    if (reason.empty() && !group.empty() && action == key("retire")) {
      const uint64_t others =
          retired_in_group(engine_, group, case_.uuid, now_ns_ - config_.max_retired_within_ns);
      if (others >= config_.max_retired)
        reason = fmt::format(
            "blast-radius limit: {} other parts of {} were retired in the last {} "
            "([action] max_retired in fmd.toml); look at them first, then retire this one by hand",
            others, group_name(group), format_duration(config_.max_retired_within_ns));
    }
    if (reason.empty()) return false;
    steps_.push_back(blocked(action, asru_.fmri, "refused",
                             fmt::format("not taken {}: {}", to, display(reason))));
    return true;
  }

  std::string group_name(const std::string& group) const {
    const Resource* r = engine_.inventory().find(group);
    return r ? name_of(*r) : group;
  }

  std::string state_word() const {
    const std::string state = asru_.get("state");
    return display(state.empty() ? asru_.get("service") : state);
  }

  void spare() {
    const std::string action = key("spare");
    const std::string observed = asru_.get("spare");
    auto it = case_.actions.find(action);
    const bool had =
        it != case_.actions.end() && (it->second.state == "done" || it->second.state == "lost");
    if (!observed.empty() && observed != "none") {
      if (!action_is(case_, action, "done"))
        steps_.push_back(satisfied(action, asru_.fmri, "done", "a spare is in use"));
      return;
    }
    // A spare was in and has left. A second one only if this part's errors went on after that: old
    // damage found once must not use up the spares (OpenZFS #13499).
    if (had && it->second.state == "done") {
      steps_.push_back(blocked(action, asru_.fmri, "lost",
                               "the spare has left; another is used only if the errors go on"));
      return;
    }
    if (had && !(case_.evidence_count && case_.evidence.back().time_ns > it->second.time_ns))
      return;
    if (asru_.get("spares_available") == "0") {
      steps_.push_back(blocked(action, asru_.fmri, "waiting", "no spare available"));
      return;
    }
    steps_.push_back(command(action, "spare_in", asru_.fmri, "{}",
                             fmt::format("bring a spare in for {}", name_of(asru_))));
  }

  void out_of_service() {
    const std::string action = key("out-of-service");
    if (case_.retire.then != "out-of-service" || case_.retire.first == "out-of-service") return;
    if (rank(asru_.get("service")) >= 2) {
      if (!action_is(case_, action, "done"))
        steps_.push_back(satisfied(action, asru_.fmri, "done",
                                   fmt::format("{} is {}", name_of(asru_), state_word())));
      return;
    }
    if (asru_.is("spare", "resilvering")) {
      steps_.push_back(blocked(action, asru_.fmri, "waiting", "until the spare has resilvered"));
      return;
    }
    if (!asru_.is("spare", "active")) return;
    if (refused(action, "out of service")) return;
    steps_.push_back(command(action, "retire", asru_.fmri, args_to("out-of-service"),
                             fmt::format("take {} out of service", name_of(asru_))));
  }

  // The person's part of the repair: the faulted disk left its bay and another sits there.
  void replace() {
    const Inventory& inventory = engine_.inventory();
    const Resource* bay = inventory.find(suspect_.bay);
    const Resource* old_disk = inventory.find(suspect_.fru);
    if (!bay || suspect_.fru.empty() || rank(asru_.get("service")) < 2) return;
    const Resource* disk = nullptr;
    for (const Edge& e : bay->edges) {
      const Resource* r = e.relation == Relation::contains ? inventory.find(e.to) : nullptr;
      if (r && r->present && r->fmri != suspect_.fru) disk = r;
    }
    if (!disk || (old_disk && old_disk->present && bay_of(suspect_, inventory) == bay->fmri))
      return;
    const std::string action = key("replace");
    const std::string who = fmt::format("the new disk in {} (serial {})",
                                        display(bay->get("label")), display(disk->get("serial")));
    if (!config_.auto_replace) {
      steps_.push_back(
          blocked(action, asru_.fmri, "waiting",
                  who + " waits for 'zpool replace': auto_replace is off in fmd.toml"));
    } else if (disk->is("content", "used")) {
      steps_.push_back(blocked(action, asru_.fmri, "waiting",
                               who + " is not blank: wipe it, or run 'zpool replace' yourself"));
    } else if (disk->is("content", "blank")) {
      const nlohmann::json args{
          {"device", disk->fmri}, {"path", disk->get("path")}, {"blank", true}};
      steps_.push_back(command(action, "replace", asru_.fmri, args.dump(),
                               fmt::format("replace {} by {}", name_of(asru_), who)));
    }
  }

  const Case& case_;
  const Suspect& suspect_;
  const Resource& asru_;
  const Engine& engine_;
  const ActionConfig& config_;
  int64_t now_ns_;
  std::vector<Step> steps_;
};

bool wants_led(const Case& c, std::string_view bay, const Inventory& inventory) {
  if (!c.led || c.state == CaseState::unsolved) return false;
  return std::any_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
    return s.status == SuspectStatus::faulty && bay_of(s, inventory) == bay;
  });
}

std::string bay_label(const Inventory& inventory, const std::string& bay) {
  const Resource* r = inventory.find(bay);
  return r ? display(r->get("label")) : bay;
}

void plan_led_on(const Case& c, const Inventory& inventory, std::vector<Step>& steps) {
  for (const Suspect& s : c.suspects) {
    const std::string bay = bay_of(s, inventory);
    const Resource* r = bay.empty() ? nullptr : inventory.find(bay);
    if (!r || !wants_led(c, bay, inventory)) continue;
    const std::string action = "led " + bay;
    if (r->is("led.fault", "on")) {
      if (!action_is(c, action, "done"))
        steps.push_back(satisfied(action, bay, "done",
                                  fmt::format("fault LED of {} is on", bay_label(inventory, bay))));
    } else {
      steps.push_back(command(action, "set_led", bay, led_args(true),
                              fmt::format("light the fault LED of {}", bay_label(inventory, bay))));
    }
  }
}

// LEDs this case lit and does not want any more, unless another case wants them.
void plan_led_off(const Case& c, const Engine& engine, std::vector<Step>& steps) {
  for (const auto& [name, action] : c.actions) {
    if (!name.starts_with("led ") || action.state == "off") continue;
    const std::string bay = name.substr(4);
    const bool wanted = std::any_of(
        engine.cases().begin(), engine.cases().end(),
        [&](const auto& other) { return wants_led(other.second, bay, engine.inventory()); });
    const Resource* r = engine.inventory().find(bay);
    if (wants_led(c, bay, engine.inventory())) continue;
    if (wanted || !r || !r->is("led.fault", "on")) {
      steps.push_back(satisfied(name, bay, "off", ""));
      continue;
    }
    Step s =
        command(name, "set_led", bay, led_args(false),
                fmt::format("switch the fault LED of {} off", bay_label(engine.inventory(), bay)));
    s.done_state = "off";
    steps.push_back(std::move(s));
  }
}

}  // namespace

std::string bay_of(const Suspect& suspect, const Inventory& inventory) {
  const Resource* fru = suspect.fru.empty() ? nullptr : inventory.find(suspect.fru);
  if (fru && fru->present) {
    for (const Resource* parent : inventory.parents(suspect.fru, Relation::contains))
      if (parent->type == "bay" && parent->present) return parent->fmri;
  }
  return suspect.bay;
}

uint64_t retired_in_group(const Engine& engine, std::string_view group,
                          std::string_view except_uuid, int64_t from_ns) {
  uint64_t count = 0;
  for (const auto& [uuid, c] : engine.cases()) {
    if (uuid == except_uuid || !c.open() || !c.faulty()) continue;
    for (const auto& [name, action] : c.actions) {
      const bool retirement = name == "retire" || name.starts_with("retire ");  // of a further ASRU
      if (!retirement || action.state != "done" || action.time_ns < from_ns) continue;
      const Resource* r = engine.inventory().find(action.target);
      if (r && r->get("group") == group) ++count;
    }
  }
  return count;
}

std::vector<Step> plan_case(const Case& c, const Engine& engine, const ActionConfig& config,
                            int64_t now_ns) {
  std::vector<Step> steps;
  if (c.state == CaseState::unsolved) return steps;
  plan_led_on(c, engine.inventory(), steps);
  plan_led_off(c, engine, steps);
  std::vector<std::string> seen;
  for (const Suspect& s : c.suspects) {
    if (s.asru.empty() || std::find(seen.begin(), seen.end(), s.asru) != seen.end()) continue;
    seen.push_back(s.asru);
    const Resource* asru = engine.inventory().find(s.asru);
    if (!asru || asru->get("service").empty()) continue;
    AsruPlan plan(c, s, *asru, engine, config, now_ns);
    const bool faulty =
        std::any_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& other) {
          return other.asru == s.asru && other.status == SuspectStatus::faulty;
        });
    for (Step& step : faulty ? plan.faulty() : plan.give_back()) steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace fmd
