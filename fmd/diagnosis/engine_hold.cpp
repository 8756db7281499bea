// Waiting: holds between firing and verdict, and cases that end by quiet.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/diagnosis/engine_impl.h"

namespace fmd {
// A rule has what it needs: wait first when it says so, else convict.
void Engine::Impl::conclude(const Rule& rule, const std::string& resource,
                            const std::vector<Evidence>& evidence, const Event* event) {
  if (holds.count({rule.name, resource})) return;  // counted as evidence already
  if (Part* part = find_part(resource)) {
    const bool convicted = std::any_of(part->cases.begin(), part->cases.end(), [&](const Case* c) {
      return c->state != CaseState::unsolved && c->faulty() &&
             std::find(c->rules.begin(), c->rules.end(), rule.name) != c->rules.end() &&
             std::any_of(c->suspects.begin(), c->suspects.end(), [&](const Suspect& s) {
               return s.resource == resource && s.fault_class == rule.fault->name &&
                      s.status == SuspectStatus::faulty;
             });
    });
    if (convicted) return;
  }
  if (rule.hold_ns > 0)
    begin_hold(rule, resource, evidence, event);
  else
    verdict(rule, resource, evidence, event, nullptr);
}

void Engine::Impl::begin_hold(const Rule& rule, const std::string& resource,
                              const std::vector<Evidence>& evidence, const Event* event) {
  Case& c = open_case(rule, resource, evidence, event);
  const Key key{rule.name, resource};
  Hold& hold = holds[key];
  hold.uuid = c.uuid;
  set_deadline(key, hold, add_times(now.steady_ns, rule.hold_ns));
  say(c, "waiting",
      fmt::format("rule {} suspects {}; waits {} before it says so", rule.name, name_of(resource),
                  format_duration(rule.hold_ns)));
}

void Engine::Impl::set_deadline(const Key& key, Hold& hold, int64_t deadline) {
  deadlines.erase({hold.deadline_ns, key});
  hold.deadline_ns = deadline;
  deadlines.insert({deadline, key});
  dirty_holds.insert(key);
}

// Nothing was said to anybody: the case never was.
void Engine::Impl::cancel_hold(const Key& key) {
  const auto at = holds.find(key);
  if (at == holds.end()) return;
  const std::string uuid = at->second.uuid;
  deadlines.erase({at->second.deadline_ns, key});
  holds.erase(at);
  dirty_holds.insert(key);
  reset_slot(key.first, key.second);
  if (const auto c = cases.find(uuid); c != cases.end()) discard(c->second);
}

void Engine::Impl::cancel_holds_on(std::string_view resource) {
  std::vector<Key> keys;
  for (const auto& [key, hold] : holds)
    if (key.second == resource) keys.push_back(key);
  for (const Key& key : keys) cancel_hold(key);
}

void Engine::Impl::finish_hold(const Key& key) {
  const auto at = holds.find(key);
  const Rule* rule = rules->find(key.first);
  const auto c = at == holds.end() ? cases.end() : cases.find(at->second.uuid);
  if (!rule || c == cases.end()) {
    cancel_hold(key);
    return;
  }
  deadlines.erase({at->second.deadline_ns, key});
  holds.erase(at);
  dirty_holds.insert(key);
  const Case* convicted = verdict(*rule, key.second, {}, nullptr, &c->second);
  if (convicted && !rule->resource_type.empty()) convict_condition(key, *convicted);
}

void Engine::Impl::quiet_cases() {
  const std::set<std::string> uuids = timed;
  for (const std::string& uuid : uuids) {
    Case& c = cases.find(uuid)->second;
    if (add_times(c.last_evidence_ns, c.repair_after_ns) > now.steady_ns) continue;
    repair_suspects(
        c, SuspectStatus::repaired, [](const Suspect&) { return true; },
        fmt::format("nothing more came for {}", format_duration(c.repair_after_ns)));
  }
}

}  // namespace fmd
