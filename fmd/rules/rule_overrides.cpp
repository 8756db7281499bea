#include "fmd/rules/rule_overrides.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/text.h"

namespace fmd {
namespace {

constexpr std::string_view kNames[] = {"rule", "fault"};  // as RuleTable

std::string_view name_of(RuleTable kind) {
  return kNames[static_cast<size_t>(kind)];
}

// As it would stand in a file. A JSON string is a TOML one.
std::string toml_text(const TomlNode& node) {
  if (node.kind == TomlNode::Kind::array) {
    std::vector<std::string> items;
    for (const TomlNode& item : node.items) items.push_back(toml_text(item));
    return fmt::format("[{}]", fmt::join(items, ", "));
  }
  if (node.kind == TomlNode::Kind::table) return "{}";
  if (const auto* text = std::get_if<std::string>(&node.value))
    return nlohmann::json(*text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return to_text(node.value);
}

void list(const TomlNode& table, const std::string& prefix, const std::string& file,
          std::vector<EffectiveValue>& values) {
  for (const auto& [key, node] : table.members)
    if (node.kind == TomlNode::Kind::table)
      list(node, prefix + key + ".", file, values);
    else
      values.push_back({prefix + key, toml_text(node), file, node.line, ""});
}

TomlNode* find(TomlNode& table, std::string_view key) {
  const auto found = std::find_if(table.members.begin(), table.members.end(),
                                  [&](const auto& member) { return member.key == key; });
  return found == table.members.end() ? nullptr : &found->node;
}

// A table's members are changed one by one; all else is replaced.
void merge(TomlNode& table, const TomlNode& changes) {
  for (const auto& [key, node] : changes.members) {
    TomlNode* old = find(table, key);
    if (!old)
      table.members.push_back({key, node});
    else if (old->kind == TomlNode::Kind::table && node.kind == TomlNode::Kind::table)
      merge(*old, node);
    else
      *old = node;
  }
}

void note(std::vector<EffectiveValue>& values, const TomlNode& changes, const std::string& file) {
  std::vector<EffectiveValue> changed;
  list(changes, "", file, changed);
  for (EffectiveValue& value : changed) {
    const auto old = std::find_if(values.begin(), values.end(),
                                  [&](const EffectiveValue& v) { return v.key == value.key; });
    if (old == values.end()) {
      value.instead_of = "nothing";
      values.push_back(std::move(value));
    } else {
      value.instead_of = old->instead_of.empty() ? old->value : old->instead_of;
      *old = std::move(value);
    }
  }
}

}  // namespace

void RuleOverrides::read(const TomlNode& tables, const std::string& file,
                         std::vector<Error>& errors) {
  for (const TomlNode& table : tables.items) {
    TomlReader reader(table, "override", file, errors);
    const auto rule = reader.text("rule"), fault = reader.text("fault");
    const auto enabled = reader.boolean("enabled");
    if (!reader.has("rule") == !reader.has("fault")) {
      reader.error(table.line, "\"rule\" or \"fault\" names what it changes: one of them");
      continue;
    }
    if (fault && reader.has("enabled")) {
      reader.error(reader.line_of("enabled"), "\"enabled\" is for rules only");
      continue;
    }
    Override change{table, file, table.line, enabled};
    std::erase_if(change.changes.members, [](const auto& member) {
      return member.key == "rule" || member.key == "fault" || member.key == "enabled";
    });
    for (const char* identity : {"name", "class"})
      if (change.changes.find(identity))
        reader.error(reader.line_of(identity), fmt::format("\"{}\" cannot be changed", identity));
    if (change.changes.members.empty() && !enabled) reader.error(table.line, "it changes nothing");
    if (rule || fault)
      all_[{rule ? RuleTable::rule : RuleTable::fault, rule ? *rule : *fault}].push_back(
          std::move(change));
  }
}

OverriddenTable RuleOverrides::apply(RuleTable kind, const std::string& name, const TomlNode& table,
                                     const std::string& file) {
  OverriddenTable out;
  out.table = table;
  list(table, "", file, out.values);
  const auto found = all_.find({kind, name});
  if (found == all_.end()) return out;
  for (Override& change : found->second) {
    change.used = true;
    out.enabled = change.enabled.value_or(out.enabled);
    merge(out.table, change.changes);
    note(out.values, change.changes, change.file);
    out.by += fmt::format("{}{}:{}", out.by.empty() ? "" : ", ", change.file, change.line);
  }
  return out;
}

void OverriddenTable::blame(std::vector<Error>& errors, size_t from) const {
  if (by.empty()) return;
  for (size_t i = from; i < errors.size(); ++i) {
    const auto changed = std::find_if(values.begin(), values.end(), [&](const EffectiveValue& v) {
      return !v.instead_of.empty() && v.line == errors[i].line;
    });
    if (changed != values.end()) errors[i].file = changed->file;
    errors[i].message += fmt::format(" (overridden in {})", by);
  }
}

std::string OverriddenTable::file_of(std::string_view key, const std::string& own) const {
  const auto changed = std::find_if(values.begin(), values.end(), [&](const EffectiveValue& v) {
    return v.key == key && !v.instead_of.empty();
  });
  return changed == values.end() ? own : changed->file;
}

void RuleOverrides::check_used(RuleTable kind, const std::vector<std::string>& names,
                               std::vector<Error>& errors) const {
  for (const auto& [of, changes] : all_)
    for (const Override& change : changes)
      if (of.first == kind && !change.used)
        errors.push_back({fmt::format("override: there is no {} \"{}\"{}", name_of(kind),
                                      display(of.second), suggest(of.second, names)),
                          change.file, change.line});
}

}  // namespace fmd
