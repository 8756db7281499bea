// Conditions: rules that look at a resource's property (state, threshold, growth) rather than at
// events.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fmd/base/text.h"
#include "fmd/diagnosis/engine_impl.h"

namespace fmd {
namespace {

bool is_among(const Resource& r, const std::string& property, const std::vector<Value>& values) {
  const auto at = r.properties.find(property);
  return at != r.properties.end() && std::any_of(values.begin(), values.end(), [&](const Value& v) {
           return equal_values(at->second, v);
         });
}

std::optional<double> number_of(const Resource& r, const std::string& property) {
  const auto at = r.properties.find(property);
  if (at == r.properties.end()) return {};
  if (const auto* i = std::get_if<int64_t>(&at->second)) return static_cast<double>(*i);
  if (const auto* u = std::get_if<uint64_t>(&at->second)) return static_cast<double>(*u);
  if (const auto* d = std::get_if<double>(&at->second); d && std::isfinite(*d)) return *d;
  return {};
}

// An offset to a property that the resource does not have is no limit.
std::optional<double> limit_of(const Resource& r, const std::string& property,
                               std::optional<double> offset) {
  if (!offset || property.empty()) return offset;
  const std::optional<double> base = number_of(r, property);
  return base ? std::optional(*base + *offset) : std::nullopt;
}

struct Limits {
  std::optional<double> above, below, clear_above, clear_below;
};

Limits limits_of(const Rule& rule, const Resource& r) {
  return {limit_of(r, rule.above_property, rule.above),
          limit_of(r, rule.below_property, rule.below),
          limit_of(r, rule.above_property, rule.clear_above),
          limit_of(r, rule.below_property, rule.clear_below)};
}

// With hysteresis: what is active stays so until the value is back behind clear_above/clear_below.
Finding compare(const Limits& limits, double value, bool was_active) {
  if (!limits.above && !limits.below) return Finding::unknown;
  if (limits.above && value > *limits.above) return Finding::active;
  if (limits.below && value < *limits.below) return Finding::active;
  if (!was_active) return Finding::clear;
  if (limits.clear_above && value >= *limits.clear_above) return Finding::active;
  if (limits.clear_below && value <= *limits.clear_below) return Finding::active;
  return Finding::clear;
}

bool concerns(const Rule& rule, const Resource& r) {
  for (const auto& [property, values] : rule.where)
    if (!is_among(r, property, values)) return false;
  for (const auto& [property, values] : rule.where_not)
    if (is_among(r, property, values)) return false;
  return true;
}

// 12, 45.5: as a person writes it.
std::string number_text(double value) {
  if (value == std::floor(value) && std::fabs(value) < 1e15) return fmt::format("{:.0f}", value);
  std::string text = fmt::format("{:.3f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

Finding Engine::Impl::look(const Rule& rule, const Resource& r, bool was_active) {
  if (!r.present) return Finding::unknown;
  // A counter is followed only where the rule looks: what lies outside is neither growth nor its
  // end.
  if (!concerns(rule, r)) return rule.kind == RuleKind::growth ? Finding::unknown : Finding::clear;
  if (!r.properties.count(rule.property)) return Finding::unknown;
  if (rule.kind == RuleKind::state)
    return is_among(r, rule.property, rule.values) ? Finding::active : Finding::clear;
  const std::optional<double> value = number_of(r, rule.property);
  if (!value) return Finding::unknown;
  if (rule.kind == RuleKind::threshold) return compare(limits_of(rule, r), *value, was_active);
  return look_growth(rule, r.fmri, *value);
}

Finding Engine::Impl::look_growth(const Rule& rule, const std::string& resource, double value) {
  const Key key{rule.name, resource};
  Growth& growth = growths[key];
  const Growth::Change change =
      growth.look({rule.by, rule.within_ns, rule.first_above}, value, now.steady_ns);
  if (change != Growth::Change::none) dirty_growths.insert(key);
  if (change == Growth::Change::risen) {
    // The case goes on: quiet (repair_after) begins anew.
    const auto convicted = conditions.find(key);
    const auto c = convicted == conditions.end() ? cases.end() : cases.find(convicted->second);
    if (c != cases.end() && c->second.last_evidence_ns != now.steady_ns) {
      c->second.last_evidence_ns = now.steady_ns;
      dirty_evidence.insert(c->first);
    }
  }
  return growth.grown() ? Finding::active : Finding::clear;
}

// People know of it: from now on only what comes on top is news.
void Engine::Impl::pin_growth(const Suspect& suspect) {
  for (const Rule& rule : rules->rules()) {
    if (rule.kind != RuleKind::growth || rule.fault->name != suspect.fault_class) continue;
    const Key key{rule.name, suspect.resource};
    pin_growth(key);
    if (conditions.erase(key)) dirty_conditions.insert(key);
  }
}

void Engine::Impl::pin_growth(const Key& key) {
  const auto at = growths.find(key);
  if (at == growths.end()) return;
  at->second.pin();
  dirty_growths.insert(key);
}

void Engine::Impl::forget_conditions(const std::string& resource) {
  const auto forget = [&](auto& map, std::set<Key>& dirty) {
    for (const Rule& rule : rules->rules()) {
      const Key key{rule.name, resource};
      if (map.erase(key)) dirty.insert(key);
    }
  };
  forget(conditions, dirty_conditions);
  forget(growths, dirty_growths);
}

// {value}, {baseline} and {limit} of a condition's texts.
void Engine::Impl::learn_measure(Facts& facts, const Rule& rule,
                                 const std::string& resource) const {
  const Resource* r = rule.resource_type.empty() ? nullptr : inventory.find(resource);
  if (!r) return;
  const auto learn = [&](const char* name, std::optional<double> value) {
    if (value) facts[name] = number_text(*value);
  };
  const std::optional<double> value = number_of(*r, rule.property);
  if (value)
    learn("value", value);
  else if (const std::string text = r->get(rule.property); !text.empty())
    facts["value"] = text;
  if (rule.kind == RuleKind::threshold) {
    const Limits limits = limits_of(rule, *r);
    const bool too_low = limits.below && (!limits.above || (value && *value <= *limits.below));
    learn("limit", too_low ? limits.below : limits.above);
  }
  const auto growth = growths.find({rule.name, resource});
  if (rule.kind != RuleKind::growth || growth == growths.end()) return;
  learn("value", growth->second.value());
  learn("baseline", growth->second.baseline());
  learn("limit", growth->second.limit());
}

// The case's evidence, where no events are it.
void Engine::Impl::observe(Case& c, const Rule& rule, const std::string& resource,
                           const Facts& facts, int64_t since_ns) {
  if (rule.resource_type.empty()) return;
  const auto fact = [&](std::string_view name) {
    const auto at = facts.find(name);
    return at == facts.end() ? std::string() : at->second;
  };
  c.add_observation({now.wall_ns, since_ns, rule.name, resource, rule.property, fact("value"),
                     fact("limit"), fact("baseline")});
  touch(c);
}

void Engine::Impl::check_conditions(const std::string& fmri) {
  const Resource* r = inventory.find(fmri);
  if (!r) return;
  for (const uint32_t i : rules->for_type(r->type)) check_condition(rules->rules()[i], *r);
}

void Engine::Impl::convict_condition(const Key& key, const Case& c) {
  conditions[key] = c.uuid;
  dirty_conditions.insert(key);
}

// Of the same fault, in the same case, by a condition that goes on.
bool Engine::Impl::convicted_by_another(const Rule& rule, const std::string& resource,
                                        const std::string& uuid) const {
  return std::any_of(rules->rules().begin(), rules->rules().end(), [&](const Rule& other) {
    const auto at =
        other.fault == rule.fault ? conditions.find({other.name, resource}) : conditions.end();
    return at != conditions.end() && at->second == uuid;
  });
}

void Engine::Impl::check_condition(const Rule& rule, const Resource& r) {
  const Key key{rule.name, r.fmri};
  const bool holding = holds.count(key);
  const auto convicted = conditions.find(key);
  Finding finding = look(rule, r, holding || convicted != conditions.end());
  if (finding == Finding::active && convicted == conditions.end() && rule.unless_open &&
      covered(rule, make_suspect(rule, r.fmri), nullptr))
    finding = Finding::clear;
  if (finding == Finding::unknown && !r.present && holding) finding = Finding::clear;
  if (finding == Finding::unknown) return;
  if (finding == Finding::active) {
    if (holding || convicted != conditions.end()) return;
    if (rule.hold_ns > 0)
      begin_hold(rule, r.fmri, {}, nullptr);
    else if (const Case* c = verdict(rule, r.fmri, {}, nullptr, nullptr))
      convict_condition(key, *c);
    return;
  }
  if (holding) cancel_hold(key);
  if (convicted == conditions.end()) return;
  const auto c = cases.find(convicted->second);
  conditions.erase(convicted);
  dirty_conditions.insert(key);
  // Where the fault says which values of this property are good ones (repair_by_state), no other
  // is: neither "unknown" nor an empty place.
  const RepairPolicy& repair = rule.fault->repair;
  const bool by_values = rule.kind == RuleKind::state && rule.property == repair.property;
  if (!repair.when_clear || by_values || c == cases.end() ||
      convicted_by_another(rule, r.fmri, c->first))
    return;
  const auto is_it = [&](const Suspect& s) {
    return s.resource == r.fmri && s.fault_class == rule.fault->name;
  };
  repair_suspects(c->second, SuspectStatus::repaired, is_it,
                  fmt::format("{}: {} is {} again", name_of(r.fmri), rule.property,
                              display(r.get(rule.property))));
}

}  // namespace fmd
