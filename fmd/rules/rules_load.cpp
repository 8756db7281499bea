// Reads the files, the [[fault]] tables, and checks what concerns several tables.
#include "fmd/rules/rules_load.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/model/diagcode.h"

namespace fmd {
namespace {

bool is_dictionary(std::string_view name) {
  return !name.empty() && name.size() <= 16 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  });
}

}  // namespace

void RuleLoader::add(const SourceFile& file) {
  files_.push_back(file.name);
  const Result<TomlNode> root = parse_toml(file.name, file.text);
  if (!root) {
    errors_.push_back(root.error());
    return;
  }
  TomlReader reader(*root, "", file.name, errors_);
  if (const TomlNode* rules = reader.array_of_tables("rule"))
    for (const TomlNode& rule : rules->items) add_rule(rule, file.name);
  if (const TomlNode* faults = reader.array_of_tables("fault"))
    for (const TomlNode& fault : faults->items) add_fault(fault, file.name);
  reader.finish();
}

void RuleLoader::add_fault(const TomlNode& node, const std::string& file) {
  const TomlNode* named = node.find("class");
  const auto* name = named ? std::get_if<std::string>(&named->value) : nullptr;
  TomlReader reader(node, name ? fmt::format("fault \"{}\"", display(*name)) : "fault", file,
                    errors_);
  Message m;
  m.fault_class = reader.required_text("class");
  const std::string dictionary = reader.required_text("dictionary");
  if (!dictionary.empty() && !is_dictionary(dictionary))
    reader.error(reader.line_of("dictionary"), "\"dictionary\" is made of A-Z and 0-9");
  if (!reader.has("number")) reader.error(node.line, "\"number\" is missing");
  const auto number = reader.integer("number", 0, INT64_MAX);
  if (!reader.has("severity")) reader.error(node.line, "\"severity\" is missing");
  m.severity = reader.word("severity", {"Minor", "Major", "Critical"}).value_or("");
  m.title = reader.required_text("title");
  m.description = reader.required_text("description");
  m.response = reader.required_text("response");
  m.impact = reader.required_text("impact");
  m.action = reader.required_text("action");
  reader.finish();
  check_texts(reader, m);
  if (number && is_dictionary(dictionary)) {
    m.code = diagcode(dictionary, static_cast<uint64_t>(*number));
    const auto [at, is_new] = codes_.emplace(m.code, m.fault_class);
    if (!is_new)
      reader.error(reader.line_of("number"), fmt::format("{} is the message id of \"{}\" already",
                                                         m.code, display(at->second)));
  }
  if (m.fault_class.empty()) return;
  const std::string fault_class = m.fault_class;
  if (!set_->messages_.emplace(fault_class, std::move(m)).second)
    reader.error(reader.line_of("class"), "this fault is described already");
}

void RuleLoader::check_texts(TomlReader& reader, const Message& m) {
  const std::pair<std::string_view, const std::string*> texts[] = {{"title", &m.title},
                                                                   {"description", &m.description},
                                                                   {"response", &m.response},
                                                                   {"impact", &m.impact},
                                                                   {"action", &m.action}};
  const std::vector<std::string>& known = placeholders::known();
  for (const auto& [key, text] : texts)
    for (const std::string& name : placeholders::in(*text)) {
      if (name.starts_with("event.") && name.size() > 6) continue;
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      reader.error(reader.line_of(key), fmt::format("unknown placeholder {{{}}} in \"{}\"{}",
                                                    display(name), key, suggest(name, known)));
    }
}

void RuleLoader::check_across() {
  std::vector<std::string> faults, rules;
  for (const auto& [name, message] : set_->messages_) faults.push_back(name);
  for (const Rule& rule : set_->rules_) rules.push_back(rule.name);
  for (const Rule& rule : set_->rules_) {
    const std::string where = fmt::format("rule \"{}\": ", display(rule.name));
    const auto fault = fault_of_.find(rule.name);
    if (fault != fault_of_.end() && !set_->message(rule.fault_class))
      errors_.push_back(
          {where + fmt::format("no [[fault]] describes \"{}\"{}", display(rule.fault_class),
                               suggest(rule.fault_class, faults)),
           fault->second.file, fault->second.line});
    const auto wait = wait_unless_of_.find(rule.name);
    if (wait != wait_unless_of_.end() && !set_->find(rule.retire.wait_unless))
      errors_.push_back({where + fmt::format("\"wait_unless\" names the unknown rule \"{}\"{}",
                                             display(rule.retire.wait_unless),
                                             suggest(rule.retire.wait_unless, rules)),
                         wait->second.file, wait->second.line});
  }
}

std::pair<std::shared_ptr<const RuleSet>, std::vector<Error>> RuleLoader::finish() {
  check_across();
  const auto place = [this](const Error& e) {
    return std::pair(std::find(files_.begin(), files_.end(), e.file) - files_.begin(), e.line);
  };
  std::stable_sort(errors_.begin(), errors_.end(),
                   [&](const Error& a, const Error& b) { return place(a) < place(b); });
  if (!errors_.empty()) return {nullptr, std::move(errors_)};
  return {set_, {}};
}

std::pair<std::shared_ptr<const RuleSet>, std::vector<Error>> RuleSet::load(
    const std::vector<SourceFile>& files, const EventSchema& schema) {
  RuleLoader loader(schema);
  for (const SourceFile& file : files) loader.add(file);
  return loader.finish();
}

}  // namespace fmd
