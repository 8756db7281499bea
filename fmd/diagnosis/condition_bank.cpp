#include "fmd/diagnosis/condition_bank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fmd/base/duration.h"
#include "fmd/base/json.h"
#include "fmd/base/json_value.h"

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
                               std::optional<double> offset,
                               std::optional<double> at_most = std::nullopt) {
  if (!offset || property.empty()) return offset;
  const std::optional<double> base = number_of(r, property);
  if (!base) return std::nullopt;
  return std::min(*base, at_most.value_or(*base)) + *offset;
}

struct Limits {
  std::optional<double> above, below, clear_above, clear_below, up_to;
};

Limits limits_of(const Rule& rule, const Resource& r) {
  return {limit_of(r, rule.above_property, rule.above, rule.above_at_most),
          limit_of(r, rule.below_property, rule.below),
          limit_of(r, rule.above_property, rule.clear_above, rule.above_at_most),
          limit_of(r, rule.below_property, rule.clear_below), rule.up_to};
}

Finding compare(const Limits& limits, double value, bool was_active) {
  if (!limits.above && !limits.below) return Finding::unknown;
  if (limits.up_to && value > *limits.up_to) return Finding::clear;
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
std::string number_text(std::optional<double> value) {
  if (!value) return {};
  if (*value == std::floor(*value) && std::fabs(*value) < 1e15)
    return fmt::format("{:.0f}", *value);
  std::string text = fmt::format("{:.3f}", *value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// For whole numbers, "above 49" means "from 50".
std::string least_above(std::optional<double> limit, std::optional<double> value) {
  const bool whole = limit && value && *value == std::floor(*value);
  return number_text(whole ? std::floor(*limit) + 1 : limit);
}

}  // namespace

void ConditionBank::set_rules(std::shared_ptr<const RuleSet> rules) {
  rules_ = std::move(rules);
  std::erase_if(conditions_, [&](const auto& entry) {
    if (rules_->find(entry.first.rule)) return false;
    dirty_conditions_.insert(entry.first);
    return true;
  });
  std::erase_if(counters_, [&](const auto& entry) {
    const Rule* rule = rules_->find(entry.first.rule);
    if (rule && rule->kind == RuleKind::growth && rule->property == entry.second.property)
      return false;
    dirty_counters_.insert(entry.first);
    return true;
  });
}

ConditionBank::Look ConditionBank::look(const Rule& rule, const Resource& r, bool was_active,
                                        int64_t steady_ns) {
  if (!r.present) return {};
  // A counter is followed only in the rule's range: values outside are neither growth nor its end.
  if (!concerns(rule, r))
    return {rule.kind == RuleKind::growth ? Finding::unknown : Finding::clear};
  if (!r.properties.contains(rule.property)) return {};
  if (rule.kind == RuleKind::state)
    return {is_among(r, rule.property, rule.values) ? Finding::active : Finding::clear};
  const std::optional<double> value = number_of(r, rule.property);
  if (!value) return {};
  if (rule.kind == RuleKind::threshold) return {compare(limits_of(rule, r), *value, was_active)};
  return look_growth(rule, r.fmri, *value, steady_ns);
}

ConditionBank::Look ConditionBank::look_growth(const Rule& rule, const std::string& resource,
                                               double value, int64_t steady_ns) {
  const RuleKey key{resource, rule.name};
  Counter& counter = counters_[key];
  counter.property = rule.property;
  const Growth::Change change =
      counter.growth.look({rule.by, rule.within_ns, rule.first_above}, value, steady_ns);
  if (change != Growth::Change::none) dirty_counters_.insert(key);
  const Finding finding = counter.growth.grown()   ? Finding::active
                          : counter.growth.known() ? Finding::unknown
                                                   : Finding::clear;
  return {finding, change == Growth::Change::risen};
}

ConditionBank::Measure ConditionBank::measure(const Rule& rule, const Resource& r) const {
  Measure out;
  const std::optional<double> value = number_of(r, rule.property);
  out.value = value ? number_text(value) : r.get(rule.property);
  if (rule.kind == RuleKind::threshold) {
    const Limits limits = limits_of(rule, r);
    const bool too_low = limits.below && (!limits.above || (value && *value <= *limits.below));
    out.limit = number_text(too_low ? limits.below : limits.above);
    out.clear = number_text(too_low ? limits.clear_below : limits.clear_above);
    if (!too_low) out.from = least_above(limits.above, value);
  }
  // The part itself reports that a limit is exceeded. Texts compare it with fmd's own limit.
  if (rule.kind == RuleKind::state)
    for (const Rule& other : rules_->rules())
      if (out.from.empty() && other.kind == RuleKind::threshold && other.fault == rule.fault &&
          other.resource_type == rule.resource_type && concerns(other, r))
        out.from = measure(other, r).from;
  const auto counter = counters_.find({r.fmri, rule.name});
  if (rule.kind != RuleKind::growth || counter == counters_.end()) return out;
  const Growth& growth = counter->second.growth;
  return {number_text(growth.value()),
          number_text(growth.baseline()),
          number_text(growth.limit()),
          {},
          {}};
}

std::optional<ConditionBank::Rise> ConditionBank::rise(const Rule& rule,
                                                       const std::string& resource) const {
  const auto counter = counters_.find({resource, rule.name});
  if (counter == counters_.end()) return {};
  const Growth& growth = counter->second.growth;
  if (growth.value() <= growth.lowest()) return {};
  return Rise{growth.lowest(), fmt::format("from {} to {}", number_text(growth.lowest()),
                                           number_text(growth.value()))};
}

const ConditionBank::Condition* ConditionBank::find(const RuleKey& key) const {
  const auto at = conditions_.find(key);
  return at == conditions_.end() ? nullptr : &at->second;
}

void ConditionBank::convict(const RuleKey& key, std::string_view uuid) {
  conditions_[key] = {std::string(uuid), {}, false};
  dirty_conditions_.insert(key);
}

bool ConditionBank::is_acquitted(const RuleKey& key, int64_t wall_ns) const {
  const Condition* judged = find(key);
  return judged && judged->acquittal && wall_ns - judged->acquittal->time_ns < kDayNs;
}

void ConditionBank::acquit(const RuleKey& key, const Acquittal& acquittal) {
  const Rule* rule = rules_->find(key.rule);
  // Growth is pinned instead: only further growth is reported.
  if (!rule || rule->is_of_events() || rule->kind == RuleKind::growth) return;
  conditions_[key] = {"", acquittal, false};
  dirty_conditions_.insert(key);
}

void ConditionBank::end(const RuleKey& key) {
  if (conditions_.erase(key)) dirty_conditions_.insert(key);
}

bool ConditionBank::goes_on(const FaultClass& fault, std::string_view resource,
                            std::string_view uuid) const {
  const std::vector<RuleKey> keys = keys_about(conditions_, resource);
  return std::any_of(keys.begin(), keys.end(), [&](const RuleKey& key) {
    const Condition& condition = conditions_.at(key);
    const Rule* rule = rules_->find(key.rule);
    return rule && rule->fault == &fault && condition.uuid == uuid && !condition.acquittal;
  });
}

void ConditionBank::suspect_ended(const Case& c, const Suspect& suspect,
                                  const std::optional<Acquittal>& acquittal) {
  const auto stands_for = [&](const RuleKey& key) {
    const Rule* rule = rules_->find(key.rule);
    return std::any_of(c.suspects.begin(), c.suspects.end(), [&](const Suspect& s) {
      return s.status == SuspectStatus::faulty && s.resource == key.resource && rule &&
             s.fault_class == rule->fault->name;
    });
  };
  for (const RuleKey& key : keys_about(conditions_, suspect.resource)) {
    Condition& condition = conditions_.at(key);
    if (condition.uuid != c.uuid || condition.acquittal || stands_for(key)) continue;
    if (acquittal)
      condition.acquittal = acquittal;
    else
      conditions_.erase(key);
    dirty_conditions_.insert(key);
  }
}

void ConditionBank::hand_over(std::string_view from_uuid, std::string_view to_uuid,
                              std::string_view resource) {
  for (const RuleKey& key : keys_about(conditions_, resource)) {
    Condition& condition = conditions_.at(key);
    if (condition.uuid != from_uuid) continue;
    condition.uuid = to_uuid;
    dirty_conditions_.insert(key);
  }
}

void ConditionBank::pin(const RuleKey& key) {
  const auto judged = counters_.find(key);
  if (judged == counters_.end()) return;
  for (const RuleKey& same : keys_about(counters_, key.resource)) {
    Counter& counter = counters_.at(same);
    if (counter.property != judged->second.property) continue;
    counter.growth.pin();
    dirty_counters_.insert(same);
    end(same);
  }
}

std::vector<RuleKey> ConditionBank::counters_of(const Suspect& suspect) const {
  std::set<std::string> properties;
  for (const Rule& rule : rules_->rules())
    if (rule.kind == RuleKind::growth && rule.fault->name == suspect.fault_class)
      properties.insert(rule.property);
  std::vector<RuleKey> keys = keys_about(counters_, suspect.resource);
  std::erase_if(
      keys, [&](const RuleKey& key) { return !properties.contains(counters_.at(key).property); });
  return keys;
}

void ConditionBank::pin(const Suspect& suspect) {
  for (const RuleKey& key : counters_of(suspect)) pin(key);
}

void ConditionBank::rebase(std::string_view resource, int64_t steady_ns,
                           const std::function<bool(const RuleKey&)>& is_kept) {
  for (const RuleKey& key : keys_about(counters_, resource)) {
    const Condition* condition = find(key);
    if ((condition && !condition->acquittal) || is_kept(key)) continue;
    counters_.at(key).growth.rebase(steady_ns);
    dirty_counters_.insert(key);
  }
}

void ConditionBank::acknowledge(const Suspect& suspect) {
  for (const RuleKey& key : counters_of(suspect)) {
    counters_.at(key).growth.acknowledge();
    dirty_counters_.insert(key);
    const auto condition = conditions_.find(key);
    if (condition == conditions_.end()) continue;
    condition->second.acknowledged = true;
    dirty_conditions_.insert(key);
  }
}

void ConditionBank::forget(std::string_view resource) {
  for (const RuleKey& key : keys_about(conditions_, resource)) end(key);
  for (const RuleKey& key : keys_about(counters_, resource)) {
    counters_.erase(key);
    dirty_counters_.insert(key);
  }
}

void ConditionBank::take_changes(std::vector<StateRow>& rows) {
  for (const RuleKey& key : dirty_conditions_) {
    const Condition* condition = find(key);
    nlohmann::json doc = nlohmann::json::object();
    if (condition) doc["uuid"] = condition->uuid;
    if (condition && condition->acquittal) {
      doc["acquitted_by"] = condition->acquittal->by;
      doc["acquitted"] = condition->acquittal->time_ns;
    }
    if (condition && condition->acknowledged) doc["acknowledged"] = true;
    rows.push_back({"condition", key.row_key(), condition ? dump_json(doc) : ""});
  }
  for (const RuleKey& key : dirty_counters_) {
    const auto at = counters_.find(key);
    nlohmann::json doc;
    if (at != counters_.end()) {
      doc = at->second.growth.to_json();
      doc["property"] = at->second.property;
    }
    rows.push_back({"growth", key.row_key(), at == counters_.end() ? "" : dump_json(doc)});
  }
  dirty_conditions_.clear();
  dirty_counters_.clear();
}

void ConditionBank::mark_all_changed() {
  for (const auto& [key, condition] : conditions_) dirty_conditions_.insert(key);
  for (const auto& [key, counter] : counters_) dirty_counters_.insert(key);
}

Result<void> ConditionBank::restore(const StateRow& row) {
  const auto key = rule_key_of(row);
  if (!key) return tl::unexpected(key.error());
  const auto doc = object_of(row);
  if (!doc) return tl::unexpected(doc.error());
  if (row.kind == "growth") {
    restore_growth(*key, *doc);
    return {};
  }
  Condition& condition = conditions_[*key];
  condition.uuid = json_text(*doc, "uuid");
  condition.acknowledged = json_bool(*doc, "acknowledged");
  if (doc->contains("acquitted_by"))
    condition.acquittal = Acquittal{json_text(*doc, "acquitted_by"), json_int(*doc, "acquitted")};
  return {};
}

// A baseline belongs to its property: a rule about another property starts again.
void ConditionBank::restore_growth(const RuleKey& key, const nlohmann::json& doc) {
  const Rule* rule = rules_->find(key.rule);
  if (rule && rule->kind == RuleKind::growth && rule->property == json_text(doc, "property"))
    counters_[key] = {Growth::from_json(doc), rule->property};
  else
    dirty_counters_.insert(key);
}

void ConditionBank::drop_lost(const std::function<bool(const std::string& uuid)>& is_known) {
  std::erase_if(conditions_, [&](const auto& entry) {
    const auto& [key, condition] = entry;
    if (rules_->find(key.rule) && (condition.acquittal || is_known(condition.uuid))) return false;
    dirty_conditions_.insert(key);
    return true;
  });
}

}  // namespace fmd
