// fmadm rules show: the rules in force, or one rule with each value and its origin.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "fmd/base/toml.h"
#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/cli/rule_loading.h"
#include "ui/cli/rules_commands.h"

namespace fmd::cli {
namespace {

using Tables = std::vector<EffectiveTable>;

const EffectiveTable* find(const Tables& tables, RuleTable kind, const std::string& name) {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const EffectiveTable& t) {
    return t.kind == kind && t.name == name;
  });
  return found == tables.end() ? nullptr : &*found;
}

size_t changed(const EffectiveTable& table) {
  return static_cast<size_t>(
      std::count_if(table.values.begin(), table.values.end(),
                    [](const EffectiveValue& v) { return !v.instead_of.empty(); }));
}

nlohmann::json document(const EffectiveTable& table) {
  nlohmann::json values = nlohmann::json::array();
  for (const EffectiveValue& v : table.values) {
    nlohmann::json value{{"key", v.key}, {"value", v.value}, {"file", v.file}, {"line", v.line}};
    if (!v.instead_of.empty()) value["instead_of"] = v.instead_of;
    values.push_back(std::move(value));
  }
  return {{"kind", table.kind == RuleTable::rule ? "rule" : "fault"},
          {"name", table.name},
          {"enabled", table.enabled},
          {"fault", table.fault},
          {"values", std::move(values)}};
}

std::string shown(const EffectiveTable& table) {
  std::string out = fmt::format("[[{}]]{}\n", table.kind == RuleTable::rule ? "rule" : "fault",
                                table.enabled ? "" : "   # switched off");
  std::string file;
  for (const EffectiveValue& v : table.values) {
    if (v.instead_of.empty() && v.file != file)
      out += fmt::format("# {}\n", display(file = v.file));
    if (!v.instead_of.empty())
      out += fmt::format("# {}:{}, instead of {}:\n", display(v.file), v.line,
                         clean_prose(v.instead_of));
    out += fmt::format("{} = {}\n", display(v.key), clean_prose(v.value));
  }
  return out;
}

Result<void> list(const Tables& tables, bool json) {
  if (json) {
    nlohmann::json rules = nlohmann::json::array();
    for (const EffectiveTable& t : tables) rules.push_back(document(t));
    return print(json_text({{"rules", std::move(rules)}}));
  }
  Table out({"RULE", "STATE", "FAULT"});
  for (const EffectiveTable& t : tables)
    if (t.kind == RuleTable::rule)
      out.add({t.name, !t.enabled ? "off" : changed(t) ? "changed" : "on", t.fault});
  return print(out.text());
}

}  // namespace

Result<void> rules_show(const RulesOptions& options) {
  const LoadedRules loaded = load_rules(options.paths, options.events);
  if (!loaded.errors.empty()) return tl::unexpected(say_errors(loaded.errors));
  if (options.name.empty()) return list(loaded.tables, options.json);
  const std::string& name = options.name;
  const EffectiveTable* rule = find(loaded.tables, RuleTable::rule, name);
  const EffectiveTable* fault = find(loaded.tables, RuleTable::fault, rule ? rule->fault : name);
  if (!rule && !fault) {
    std::vector<std::string> names;
    for (const EffectiveTable& t : loaded.tables) names.push_back(t.name);
    return fail(fmt::format("there is no rule or fault \"{}\"; 'fmadm rules show' lists them{}",
                            display(name), suggest(name, names)));
  }
  if (options.json) {
    nlohmann::json tables = nlohmann::json::array();
    for (const EffectiveTable* t : {rule, fault})
      if (t) tables.push_back(document(*t));
    return print(json_text({{"rules", std::move(tables)}}));
  }
  std::string out;
  for (const EffectiveTable* t : {rule, fault})
    if (t) out += (out.empty() ? "" : "\n") + shown(*t);
  return print(out);
}

}  // namespace fmd::cli
