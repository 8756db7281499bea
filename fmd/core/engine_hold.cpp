// Waiting: holds between firing and verdict, the conditions of state and threshold rules, and cases
// that end by quiet.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/core/engine_impl.h"
#include "fmd/core/text.h"

namespace fmd {
namespace {

enum class Finding { unknown, clear, active };

bool is_among(const Resource& r, const std::string& property, const std::vector<Value>& values) {
  const auto at = r.properties.find(property);
  return at != r.properties.end() && std::any_of(values.begin(), values.end(), [&](const Value& v) {
           return equal_values(at->second, v);
         });
}

std::optional<double> number_of(const Value& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) return static_cast<double>(*i);
  if (const auto* u = std::get_if<uint64_t>(&value)) return static_cast<double>(*u);
  if (const auto* d = std::get_if<double>(&value)) return *d;
  return {};
}

// With hysteresis: what is active stays so until the value is back behind clear_above/clear_below.
Finding compare(const Rule& rule, double value, bool was_active) {
  if (rule.above && value > *rule.above) return Finding::active;
  if (rule.below && value < *rule.below) return Finding::active;
  if (!was_active) return Finding::clear;
  if (rule.above && rule.clear_above && value >= *rule.clear_above) return Finding::active;
  if (rule.below && rule.clear_below && value <= *rule.clear_below) return Finding::active;
  return Finding::clear;
}

Finding look(const Rule& rule, const Resource& r, bool was_active) {
  if (!r.present) return Finding::unknown;
  for (const auto& [property, values] : rule.where)
    if (!is_among(r, property, values)) return Finding::clear;
  for (const auto& [property, values] : rule.where_not)
    if (is_among(r, property, values)) return Finding::clear;
  const auto at = r.properties.find(rule.property);
  if (at == r.properties.end()) return Finding::unknown;
  if (rule.kind == RuleKind::state)
    return is_among(r, rule.property, rule.values) ? Finding::active : Finding::clear;
  const std::optional<double> value = number_of(at->second);
  return value ? compare(rule, *value, was_active) : Finding::unknown;
}

}  // namespace

// A rule has what it needs: wait first when it says so, else convict.
void Engine::Impl::conclude(const Rule& rule, const std::string& resource,
                            const std::vector<Evidence>& evidence, const Event* event) {
  if (holds.count({rule.name, resource})) return;  // counted as evidence already
  if (Part* part = find_part(resource)) {
    const bool convicted = std::any_of(part->cases.begin(), part->cases.end(), [&](const Case* c) {
      return c->state != CaseState::unsolved && c->faulty() &&
             std::find(c->rules.begin(), c->rules.end(), rule.name) != c->rules.end() &&
             std::any_of(c->suspects.begin(), c->suspects.end(), [&](const Suspect& s) {
               return s.resource == resource && s.fault_class == rule.fault_class &&
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
  hold.started_ns = now_ns;
  set_deadline(key, hold, add_times(now_ns, rule.hold_ns));
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
  const bool condition = rule->kind == RuleKind::state || rule->kind == RuleKind::threshold;
  if (!convicted || !condition) return;
  conditions[key] = convicted->uuid;
  dirty_conditions.insert(key);
}

void Engine::Impl::check_conditions(const std::string& fmri) {
  const Resource* r = inventory.find(fmri);
  if (!r) return;
  for (const uint32_t i : rules->for_type(r->type)) check_condition(rules->rules()[i], *r);
}

void Engine::Impl::check_condition(const Rule& rule, const Resource& r) {
  const Key key{rule.name, r.fmri};
  const bool holding = holds.count(key);
  const auto convicted = conditions.find(key);
  Finding finding = look(rule, r, holding || convicted != conditions.end());
  if (finding == Finding::active && convicted == conditions.end() && rule.unless_open &&
      overlapping(make_suspect(rule, r.fmri), nullptr))
    finding = Finding::clear;
  if (finding == Finding::unknown && !r.present && holding) finding = Finding::clear;
  if (finding == Finding::unknown) return;
  if (finding == Finding::active) {
    if (holding || convicted != conditions.end()) return;
    if (rule.hold_ns > 0) {
      begin_hold(rule, r.fmri, {}, nullptr);
    } else if (const Case* c = verdict(rule, r.fmri, {}, nullptr, nullptr)) {
      conditions[key] = c->uuid;
      dirty_conditions.insert(key);
    }
    return;
  }
  if (holding) cancel_hold(key);
  if (convicted == conditions.end()) return;
  const auto c = cases.find(convicted->second);
  conditions.erase(convicted);
  dirty_conditions.insert(key);
  if (!rule.repair_when_clear || c == cases.end()) return;
  const auto is_it = [&](const Suspect& s) {
    return s.resource == r.fmri && s.fault_class == rule.fault_class;
  };
  repair_suspects(c->second, SuspectStatus::repaired, is_it,
                  fmt::format("{}: {} is {} again", name_of(r.fmri), rule.property,
                              display(r.get(rule.property))));
}

void Engine::Impl::quiet_cases() {
  const std::set<std::string> uuids = timed;
  for (const std::string& uuid : uuids) {
    Case& c = cases.find(uuid)->second;
    if (add_times(c.last_evidence_ns, c.repair_after_ns) > now_ns) continue;
    repair_suspects(
        c, SuspectStatus::repaired, [](const Suspect&) { return true; },
        fmt::format("nothing more came for {}", format_duration(c.repair_after_ns)));
  }
}

}  // namespace fmd
