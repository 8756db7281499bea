// Reads the files and checks what concerns several tables.
#include "fmd/rules/rules_load.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"

namespace fmd {
namespace {

std::string text_of(const TomlNode& table, std::string_view key) {
  const TomlNode* node = table.find(key);
  const auto* text = node ? std::get_if<std::string>(&node->value) : nullptr;
  return text ? *text : "";
}

}  // namespace

void RuleLoader::parse(const SourceFile& file) {
  files_.push_back(file.name);
  Result<TomlNode> root = parse_toml(file.name, file.text);
  if (!root) {
    errors_.push_back(root.error());
    return;
  }
  parsed_.push_back({std::move(*root), file.name});
}

void RuleLoader::read(const Parsed& parsed) {
  TomlReader reader(parsed.root, "", parsed.file, errors_);
  if (const TomlNode* rules = reader.array_of_tables("rule"))
    for (const TomlNode& rule : rules->items) read_table(RuleTable::rule, rule, parsed.file);
  if (const TomlNode* faults = reader.array_of_tables("fault"))
    for (const TomlNode& fault : faults->items) read_table(RuleTable::fault, fault, parsed.file);
  reader.any("override");
  reader.finish();
}

void RuleLoader::read_table(RuleTable kind, const TomlNode& node, const std::string& file) {
  const std::string name = text_of(node, kind == RuleTable::rule ? "name" : "class");
  OverriddenTable table = overrides_.apply(kind, name, node, file);
  if (tables_)
    tables_->push_back({kind, name, table.enabled, text_of(table.table, "fault"), table.values});
  if (!table.enabled) {
    off_.insert(name);
    return;
  }
  const size_t before = errors_.size(), ignored_before = set_->ignored_.size();
  if (kind == RuleTable::rule)
    add_rule(table.table, file);
  else
    add_fault(table.table, file);
  table.blame(errors_, before);
  for (size_t i = ignored_before; i < set_->ignored_.size(); ++i)
    set_->ignored_[i].file = table.file_of(set_->ignored_[i].key, file);
}

void RuleLoader::check_across() {
  std::vector<std::string> faults, rules(off_.begin(), off_.end());
  for (const auto& [name, fault] : set_->faults_) faults.push_back(name);
  for (const Rule& rule : set_->rules_) rules.push_back(rule.name);
  overrides_.check_used(RuleTable::rule, rules, errors_);
  overrides_.check_used(RuleTable::fault, faults, errors_);
  for (const auto& [rule, conclusion] : conclusions_)
    if (!set_->fault(conclusion.fault))
      errors_.push_back({fmt::format("rule \"{}\": no [[fault]] describes \"{}\"{}", display(rule),
                                     display(conclusion.fault), suggest(conclusion.fault, faults)),
                         conclusion.place.file, conclusion.place.line});
  for (const Silence& silence : silences_)
    if (!set_->fault(silence.fault))
      errors_.push_back({fmt::format("rule \"{}\": \"{}\" names the unknown fault \"{}\"{}",
                                     display(silence.rule), silence.key, display(silence.fault),
                                     suggest(silence.fault, faults)),
                         silence.file, silence.line});
  for (const auto& [name, fault] : set_->faults_) {
    const std::string& wait = fault.retire.wait_unless;
    if (!wait.empty() && !set_->find(wait) && !off_.contains(wait))
      errors_.push_back(
          {fmt::format(
               "fault \"{}\" [fault.retire]: \"wait_unless\" names the unknown rule \"{}\"{}",
               display(name), display(wait), suggest(wait, rules)),
           fault.file, lines_[name].wait_unless});
    check_repair(fault);
  }
}

// What could never happen: the end of a condition where only events tell of the fault, and a
// property that nothing which finds the fault looks at or leaves open.
void RuleLoader::check_repair(const FaultClass& fault) {
  bool any = false, condition = false, about_property = false;
  for (const Rule& rule : set_->rules_) {
    const auto concluded = conclusions_.find(rule.name);
    if (concluded == conclusions_.end() || concluded->second.fault != fault.name) continue;
    any = true;
    condition |= rule.is_condition();
    about_property |= !rule.is_condition() ||
                      (rule.kind == RuleKind::state && rule.property == fault.repair.property);
  }
  const auto refuse = [&](int line, const std::string& why) {
    errors_.push_back({fmt::format("fault \"{}\" [fault.repair]: {}", display(fault.name), why),
                       fault.file, line});
  };
  const FaultLines& lines = lines_[fault.name];
  if (any && fault.repair.when_clear && !condition)
    refuse(lines.when_clear,
           "\"when_clear\" goes with rules of kind \"state\", \"threshold\" or \"growth\"; "
           "all of this fault's are of events");
  if (any && !fault.repair.property.empty() && !about_property)
    refuse(lines.when,
           fmt::format("\"when\" goes with rules of events, or of kind \"state\" about \"{}\"; the "
                       "end of another condition is \"when_clear\"",
                       display(fault.repair.property)));
}

std::pair<std::shared_ptr<const RuleSet>, std::vector<Error>> RuleLoader::finish() {
  for (const Parsed& parsed : parsed_) {
    TomlReader reader(parsed.root, "", parsed.file, errors_);
    if (const TomlNode* tables = reader.array_of_tables("override"))
      overrides_.read(*tables, parsed.file, errors_);
  }
  for (const Parsed& parsed : parsed_) read(parsed);
  check_across();
  const auto place = [this](const Error& e) {
    return std::pair(std::find(files_.begin(), files_.end(), e.file) - files_.begin(), e.line);
  };
  std::stable_sort(errors_.begin(), errors_.end(),
                   [&](const Error& a, const Error& b) { return place(a) < place(b); });
  if (!errors_.empty()) return {nullptr, std::move(errors_)};
  for (Rule& rule : set_->rules_) {
    rule.fault = set_->fault(conclusions_.at(rule.name).fault);
    set_->upstream_.insert(rule.upstream.begin(), rule.upstream.end());
    for (const auto* named : {&rule.faults, &rule.explains})
      for (const std::string& fault : *named) {
        std::vector<const Rule*>& causes = set_->causes_of_[fault];
        if (causes.empty() || causes.back() != &rule) causes.push_back(&rule);
      }
  }
  return {set_, {}};
}

std::pair<std::shared_ptr<const RuleSet>, std::vector<Error>> RuleSet::load(
    const std::vector<SourceFile>& files, const EventSchema& schema,
    std::vector<EffectiveTable>* tables) {
  RuleLoader loader(schema, tables);
  for (const SourceFile& file : files) loader.parse(file);
  return loader.finish();
}

}  // namespace fmd
