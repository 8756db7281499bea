#include "fmd/reconcile/reconciler.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fmd/base/text.h"
#include "fmd/reconcile/case_plan.h"

namespace fmd {
namespace {

// After a command was done its effect must show in the inventory within this time, else it is
// wished anew.
constexpr int64_t kConfirmNs = 5LL * 1000000000;

struct LocateWish {
  bool kept = false;  // somebody's word that holds until it is taken back
  std::set<std::string, std::less<>> holders;

  bool on() const { return kept || !holders.empty(); }
};

}  // namespace

struct Reconciler::Impl {
  Engine& engine;
  ActionConfig config;
  std::map<std::string, std::string, std::less<>> in_flight;  // resource → command key
  std::map<std::string, int64_t> not_before;                  // "uuid action" → earliest next try
  std::map<std::string, int> failures;                        // "uuid action" → failures in a row
  std::map<std::string, LocateWish, std::less<>> locate;      // by bay
  std::set<std::string, std::less<>> dirty_locate;
  int64_t last_step_ns = 0;

  Impl(Engine& e, ActionConfig c) : engine(e), config(c) {}

  static std::string slot(std::string_view uuid, std::string_view action) {
    return fmt::format("{} {}", uuid, action);
  }

  int64_t back_off(int attempts) const {
    int64_t wait = config.first_retry_ns;
    for (int i = 1; i < attempts && wait < config.max_retry_ns; ++i) wait *= 2;
    return std::min(wait, config.max_retry_ns);
  }

  void set_next_try(const std::string& key, bool done, int64_t now_ns) {
    int& in_a_row = failures[key];
    in_a_row = done ? 0 : in_a_row + 1;
    not_before[key] = now_ns + (done ? kConfirmNs : back_off(in_a_row));
  }

  const Action* action_of(std::string_view uuid, const std::string& name) const {
    const Case* c = engine.find_case(uuid);
    if (!c) return nullptr;
    auto it = c->actions.find(name);
    return it == c->actions.end() ? nullptr : &it->second;
  }

  // Records a state once: a repeated look at the same blocked wish is no news.
  void record(const std::string& uuid, const Step& step, std::string state, std::string detail,
              int attempts, std::string_view text, int64_t now_ns) {
    const Action* old = action_of(uuid, step.action);
    if (old && old->state == state && old->detail == detail && old->attempts == attempts) return;
    const bool same_news = old && old->state == state && old->detail == detail;
    Action action;
    action.state = std::move(state);
    action.detail = std::move(detail);
    action.time_ns = now_ns;
    action.attempts = attempts;
    action.target = step.resource;
    engine.record_action(uuid, step.action, std::move(action), same_news ? "" : text, now_ns);
  }

  bool due(const std::string& key, int64_t now_ns) const {
    auto it = not_before.find(key);
    return it == not_before.end() || it->second <= now_ns;
  }

  std::optional<Command> start(const Case& c, const Step& step, int64_t now_ns,
                               const std::function<bool(std::string_view)>& handled) {
    const std::string uuid = c.uuid;
    const Action* old = action_of(uuid, step.action);
    const int attempts = old ? old->attempts : 0;
    if (config.dry_run) {
      record(uuid, step, "dry-run", step.text, attempts, "dry run: would " + step.text, now_ns);
      return {};
    }
    if (in_flight.count(step.resource) || !due(slot(uuid, step.action), now_ns)) return {};
    if (!handled(step.resource)) {
      const std::string why = "no plugin that takes commands for it is connected";
      record(uuid, step, "waiting", why, attempts, fmt::format("cannot {} now: {}", step.text, why),
             now_ns);
      return {};
    }
    // "running" without a flight: the daemon stopped in between. The same key lets the plugin tell
    // a repeat.
    const bool resumed = old && old->state == "running";
    const int attempt = resumed ? std::max(attempts, 1) : attempts + 1;
    Command command;
    command.name = step.command;
    command.resource = step.resource;
    command.args = step.args;
    command.uuid = uuid;
    command.action = step.action;
    command.key = fmt::format("{}:{}:{}:{}", uuid, step.action, step.command, attempt);
    in_flight[step.resource] = command.key;
    record(uuid, step, "running", step.text, attempt, "", now_ns);
    return command;
  }

  void step_case(const Case& c, int64_t now_ns,
                 const std::function<bool(std::string_view)>& handled, std::vector<Command>& out) {
    for (const Step& step : plan_case(c, engine, config, now_ns)) {
      const Action* old = action_of(c.uuid, step.action);
      // While a command for this action flies, the inventory shows the world in mid-change.
      if (in_flight.count(step.resource) && old && old->state == "running") continue;
      const int attempts = old ? old->attempts : 0;
      switch (step.kind) {
        case Step::Kind::satisfied:
          record(c.uuid, step, step.state, step.detail, attempts, step.detail, now_ns);
          not_before.erase(slot(c.uuid, step.action));
          break;
        case Step::Kind::blocked:
          if (!due(slot(c.uuid, step.action), now_ns)) break;
          record(c.uuid, step, step.state, step.detail, attempts, step.quiet ? "" : step.detail,
                 now_ns);
          break;
        case Step::Kind::command:
          if (auto command = start(c, step, now_ns, handled)) out.push_back(std::move(*command));
          break;
      }
    }
  }

  void step_locate(int64_t now_ns, const std::function<bool(std::string_view)>& handled,
                   std::vector<Command>& out) {
    for (auto it = locate.begin(); it != locate.end();) {
      const std::string& bay = it->first;
      const bool on = it->second.on();
      const Resource* r = engine.inventory().find(bay);
      const bool as_wished = r && r->is("led.locate", on ? "on" : "off");
      if (as_wished && !on) {
        dirty_locate.insert(bay);
        it = locate.erase(it);
        continue;
      }
      if (r && !as_wished && !in_flight.count(bay) && due(slot("", bay), now_ns) && handled(bay) &&
          !config.dry_run) {
        Command command;
        command.name = "set_led";
        command.resource = bay;
        command.args = nlohmann::json{{"indication", "locate"}, {"on", on}}.dump();
        command.key = fmt::format("locate:{}:{}", bay, now_ns);
        in_flight[bay] = command.key;
        out.push_back(std::move(command));
      }
      ++it;
    }
  }

  // The wish for that bay, about to be changed.
  Result<LocateWish*> wish_to_change(std::string_view bay) {
    const Resource* r = engine.inventory().find(bay);
    if (!r || r->type != "bay") return fail(fmt::format("{} is not a bay", display(bay)));
    changed(std::string(bay));
    return &locate[std::string(bay)];
  }
  void changed(const std::string& bay) {
    dirty_locate.insert(bay);
    not_before.erase(slot("", bay));
  }
};

Reconciler::Reconciler(Engine& engine, ActionConfig config)
    : impl_(std::make_shared<Impl>(engine, config)) {}

void Reconciler::set_config(ActionConfig config) {
  impl_->config = config;
}
const ActionConfig& Reconciler::config() const {
  return impl_->config;
}

std::vector<Command> Reconciler::step(int64_t now_ns,
                                      const std::function<bool(std::string_view)>& handled) {
  std::vector<Command> out;
  impl_->last_step_ns = now_ns;
  std::vector<std::string> uuids;
  for (const auto& [uuid, c] : impl_->engine.cases())
    if (c.state != CaseState::unsolved) uuids.push_back(uuid);
  for (const std::string& uuid : uuids) {
    // A copy: recording an action may change the case under us.
    const Case* c = impl_->engine.find_case(uuid);
    if (c) impl_->step_case(Case(*c), now_ns, handled, out);
  }
  impl_->step_locate(now_ns, handled, out);
  return out;
}

void Reconciler::done(const Command& command, const CommandResult& result, int64_t now_ns) {
  auto flight = impl_->in_flight.find(command.resource);
  if (flight != impl_->in_flight.end() && flight->second == command.key)
    impl_->in_flight.erase(flight);
  if (command.uuid.empty()) {
    impl_->set_next_try(Impl::slot("", command.resource), result.status == "done", now_ns);
    return;
  }
  const Case* c = impl_->engine.find_case(command.uuid);
  const Action* old = c ? impl_->action_of(command.uuid, command.action) : nullptr;
  if (!old) return;
  Step step;
  step.action = command.action;
  step.resource = command.resource;
  const int attempts = old->attempts;
  const std::string what = old->detail;
  const std::string reason = display(result.reason, 500);
  const std::string key = Impl::slot(command.uuid, command.action);
  impl_->set_next_try(key, result.status == "done", now_ns);
  if (result.status == "done") {
    const bool off = command.name == "set_led" && command.args.find("false") != std::string::npos;
    const std::string state = command.name == "spare_out" ? "returned" : off ? "off" : "done";
    impl_->record(command.uuid, step, state, reason.empty() ? what : reason, attempts,
                  reason.empty() ? fmt::format("done: {}", what) : reason, now_ns);
    return;
  }
  const std::string text = fmt::format("could not {}: {}", what, reason);
  impl_->record(command.uuid, step, result.status == "refused" ? "refused" : "failed", text,
                attempts, text, now_ns);
}

std::optional<int64_t> Reconciler::next_deadline_ns() const {
  std::optional<int64_t> next;
  for (const auto& [key, at] : impl_->not_before)
    if (at > impl_->last_step_ns && (!next || at < *next)) next = at;
  return next;
}

Result<void> Reconciler::locate(std::string_view bay, bool on) {
  const auto wish = impl_->wish_to_change(bay);
  if (!wish) return tl::unexpected(wish.error());
  (*wish)->kept = on;
  if (!on) (*wish)->holders.clear();
  return {};
}

Result<void> Reconciler::hold_locate(std::string_view bay, std::string_view holder) {
  const auto wish = impl_->wish_to_change(bay);
  if (!wish) return tl::unexpected(wish.error());
  (*wish)->holders.emplace(holder);
  return {};
}

std::vector<std::string> Reconciler::release_locate(std::string_view holder) {
  std::vector<std::string> bays;
  for (auto& [bay, wish] : impl_->locate) {
    const auto held = wish.holders.find(holder);
    if (held == wish.holders.end()) continue;
    wish.holders.erase(held);
    impl_->changed(bay);
    bays.push_back(bay);
  }
  return bays;
}

std::set<std::string> Reconciler::locate_holders() const {
  std::set<std::string> all;
  for (const auto& [bay, wish] : impl_->locate)
    all.insert(wish.holders.begin(), wish.holders.end());
  return all;
}

std::vector<StateRow> Reconciler::take_changes() {
  std::vector<StateRow> rows;
  for (const std::string& bay : impl_->dirty_locate) {
    auto it = impl_->locate.find(bay);
    std::string doc;
    if (it != impl_->locate.end())
      doc = nlohmann::json{{"on", it->second.kept}, {"holders", it->second.holders}}.dump();
    rows.push_back({"locate", bay, std::move(doc)});
  }
  impl_->dirty_locate.clear();
  return rows;
}

void Reconciler::mark_all_changed() {
  for (const auto& [bay, wish] : impl_->locate) impl_->dirty_locate.insert(bay);
}

Result<void> Reconciler::restore(const std::vector<StateRow>& rows) {
  for (const StateRow& row : rows) {
    if (row.kind != "locate") continue;
    const auto doc = nlohmann::json::parse(row.doc, nullptr, false);
    if (doc.is_discarded() || !doc.is_object())
      return fail(fmt::format("stored locate wish for {} is not JSON", display(row.key)));
    LocateWish& wish = impl_->locate[row.key];
    wish.kept = doc.value("on", false);
    for (const auto& holder : doc.value("holders", nlohmann::json::array()))
      if (holder.is_string()) wish.holders.insert(holder.get<std::string>());
  }
  return {};
}

}  // namespace fmd
