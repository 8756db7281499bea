#include "fmd/rules/rules.h"

#include <algorithm>

namespace fmd {
namespace {

constexpr size_t kCachedClasses = 4096;  // a ".*" class lets a source invent names without end

bool any_matches(const std::vector<std::string>& patterns, std::string_view event_class) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return class_matches(pattern, event_class);
  });
}

// Calls text(piece) and name(placeholder) in turn.
template <class Text, class Name>
void split(std::string_view whole, Text text, Name name) {
  while (!whole.empty()) {
    const size_t open = whole.find('{');
    const size_t close = open == std::string_view::npos ? open : whole.find('}', open);
    text(whole.substr(0, close == std::string_view::npos ? whole.size() : open));
    if (close == std::string_view::npos) return;
    name(whole.substr(open + 1, close - open - 1));
    whole.remove_prefix(close + 1);
  }
}

}  // namespace

const Rule* RuleSet::find(std::string_view name) const {
  const auto at = by_name_.find(name);
  return at == by_name_.end() ? nullptr : &rules_[at->second];
}

const FaultClass* RuleSet::fault(std::string_view name) const {
  const auto at = faults_.find(name);
  return at == faults_.end() ? nullptr : &at->second;
}

bool RuleSet::is_upstream(std::string_view fault) const {
  return upstream_.contains(fault);
}

const std::vector<const Rule*>& RuleSet::causes_of(std::string_view fault) const {
  static const std::vector<const Rule*> kNone;
  const auto at = causes_of_.find(fault);
  return at == causes_of_.end() ? kNone : at->second;
}

bool Rule::names(std::string_view fault_class) const {
  return std::find(faults.begin(), faults.end(), fault_class) != faults.end();
}

bool Rule::concerns(std::string_view fault_class) const {
  return names(fault_class) ||
         std::find(explains.begin(), explains.end(), fault_class) != explains.end();
}

bool Rule::compares(std::string_view type) const {
  return std::find(part_types.begin(), part_types.end(), type) != part_types.end();
}

const ClassRoles& RuleSet::roles(const Interned& event_class) const {
  if (!last_ || last_->first != event_class) last_ = &look_up(event_class);
  return last_->second;
}

const RuleSet::ByClass::value_type& RuleSet::look_up(const Interned& event_class) const {
  if (const auto at = by_class_.find(event_class); at != by_class_.end()) return *at;
  if (by_class_.size() >= kCachedClasses) by_class_.clear();
  auto& entry = *by_class_.try_emplace(event_class).first;
  ClassRoles& roles = entry.second;
  for (uint32_t i = 0; i < rules_.size(); ++i) {
    const Rule& rule = rules_[i];
    if (any_matches(rule.events, event_class)) roles.evidence.push_back(i);
    if (any_matches(rule.unless, event_class)) roles.unless.push_back(i);
    if (any_matches(rule.reset_on, event_class)) roles.reset.push_back(i);
  }
  return entry;
}

const std::vector<uint32_t>& RuleSet::for_type(std::string_view resource_type) const {
  static const std::vector<uint32_t> kNone;
  const auto at = by_type_.find(resource_type);
  return at == by_type_.end() ? kNone : at->second;
}

bool Rule::gives_way_to(std::string_view graver) const {
  return std::find(unless_fault.begin(), unless_fault.end(), graver) != unless_fault.end();
}

std::vector<std::string> RuleSet::event_members() const {
  std::vector<std::string> out{"pool"};  // of an event's texts
  const auto add = [&](const MemberValues& named) {
    for (const auto& [member, values] : named) out.push_back(member.str());
  };
  for (const Rule& rule : rules_) {
    if (!rule.is_of_events()) continue;
    add(rule.where);
    add(rule.where_not);
    if (!rule.distinct.empty()) out.push_back(rule.distinct);
  }
  for (const auto& [name, f] : faults_) {
    add(f.repair.on.where);
    for (const std::string* text : {&f.title, &f.description, &f.response, &f.impact, &f.action})
      for (const std::string& placeholder : placeholders::in(*text))
        if (placeholder.starts_with("event.")) out.push_back(placeholder.substr(6));
  }
  return out;
}

namespace placeholders {

const std::vector<std::string>& known() {
  static const std::vector<std::string> kNames{
      "label",    "bay",      "part",     "serial", "model",   "device", "part_number", "name",
      "pool",     "count",    "resource", "within", "type",    "value",  "baseline",    "limit",
      "counters", "disk",     "meant",    "grown",  "failing", "parts",  "elsewhere",   "span",
      "found",    "repeated", "hold",     "box",    "from",    "clear"};
  return kNames;
}

std::vector<std::string> in(std::string_view text) {
  std::vector<std::string> names;
  split(
      text, [](std::string_view) {}, [&](std::string_view name) { names.emplace_back(name); });
  return names;
}

std::string fill(std::string_view text, const std::function<std::string(std::string_view)>& value) {
  std::string out;
  split(
      text, [&](std::string_view piece) { out += piece; },
      [&](std::string_view name) { out += value(name); });
  return out;
}

}  // namespace placeholders
}  // namespace fmd
