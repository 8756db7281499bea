// Reads one [[fault]] table: texts and response policy.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/model/diagcode.h"
#include "fmd/rules/rules_load.h"

namespace fmd {
namespace {

bool is_dictionary(std::string_view name) {
  return !name.empty() && name.size() <= 16 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  });
}

// "fault "X" [fault.NAME]".
std::string where_of(const FaultClass& fault, std::string_view table) {
  return fmt::format("fault \"{}\" [fault.{}]", display(fault.name), table);
}

}  // namespace

void RuleLoader::add_fault(const TomlNode& node, const std::string& file) {
  const TomlNode* named = node.find("class");
  const auto* name = named ? std::get_if<std::string>(&named->value) : nullptr;
  TomlReader reader(node, name ? fmt::format("fault \"{}\"", display(*name)) : "fault", file,
                    errors_);
  FaultClass fault;
  fault.file = file;
  fault.line = node.line;
  fault.name = reader.required_text("class");
  const std::string dictionary = reader.required_text("dictionary");
  if (!dictionary.empty() && !is_dictionary(dictionary))
    reader.error(reader.line_of("dictionary"), "\"dictionary\" is made of A-Z and 0-9");
  require_key(reader, "number", node.line);
  const auto number = reader.integer("number", 0, INT64_MAX);
  read_texts(reader, fault);
  fault.led = reader.boolean("led").value_or(false);
  fault.information = reader.boolean("information").value_or(false);
  fault.replaces = reader.word("order", {"replace"}).has_value();
  fault.urgency =
      reader.word("urgency", {"now", "soon", "within days", "within weeks"}).value_or("");
  if (!fault.urgency.empty() && !reader.has("order"))
    reader.error(reader.line_of("urgency"), "\"urgency\" goes with an \"order\"");
  FaultLines lines;
  read_fru(reader, fault);
  read_also(reader, fault);
  read_retire(reader, fault, lines);
  read_repair(reader, fault, lines);
  reader.finish();
  if (number && is_dictionary(dictionary)) {
    fault.code = diagcode(dictionary, static_cast<uint64_t>(*number));
    const auto [at, is_new] = codes_.emplace(fault.code, fault.name);
    if (!is_new)
      reader.error(reader.line_of("number"), fmt::format("{} is the message id of \"{}\" already",
                                                         fault.code, display(at->second)));
  }
  if (fault.name.empty()) return;
  const std::string fault_class = fault.name;
  if (set_->faults_.emplace(fault_class, std::move(fault)).second)
    lines_[fault_class] = lines;
  else
    reader.error(reader.line_of("class"), "this fault is described already");
}

void RuleLoader::read_texts(TomlReader& reader, FaultClass& fault) {
  require_key(reader, "severity", fault.line);
  fault.severity = reader.word("severity", {"Minor", "Major", "Critical"}).value_or("");
  const std::vector<std::string>& known = placeholders::known();
  for (const auto& [key, text] :
       {std::pair("title", &fault.title), std::pair("description", &fault.description),
        std::pair("response", &fault.response), std::pair("impact", &fault.impact),
        std::pair("action", &fault.action)}) {
    *text = reader.required_text(key);
    for (const std::string& name : placeholders::in(*text)) {
      if (name.starts_with("event.") && name.size() > 6) continue;
      if (name.starts_with("property.") && name.size() > 9) {
        check_property(reader, reader.line_of(key), "", std::string_view(name).substr(9));
        continue;
      }
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      reader.error(reader.line_of(key), fmt::format("unknown placeholder {{{}}} in \"{}\"{}",
                                                    display(name), key, suggest(name, known)));
    }
  }
}

void RuleLoader::read_fru(TomlReader& reader, FaultClass& fault) {
  const TomlNode* table = reader.table("fru");
  if (!table) return;
  TomlReader fru(*table, where_of(fault, "fru"), fault.file, errors_);
  const std::string follow = fru.required_text("follow");
  fault.fru.scheme = fru.required_text("scheme");
  fault.fru.upwards = fru.word("direction", {"down", "up"}) == "up";
  fru.finish();
  if (follow.empty()) return;
  const auto relation = parse_relation(follow);
  if (relation)
    fault.fru.follow = *relation;
  else
    fru.error(fru.line_of("follow"), relation.error().message);
}

void RuleLoader::read_also(TomlReader& reader, FaultClass& fault) {
  const TomlNode* table = reader.table("also");
  if (!table) return;
  TomlReader also(*table, where_of(fault, "also"), fault.file, errors_);
  const std::string follow = also.required_text("follow");
  fault.also.scheme = also.required_text("scheme");
  require_key(also, "certainty", table->line);
  fault.also.certainty = static_cast<int>(also.integer("certainty", 1, 99).value_or(1));
  also.finish();
  if (follow.empty()) return;
  const auto relation = parse_relation(follow);
  if (relation)
    fault.also.follow = *relation;
  else
    also.error(also.line_of("follow"), relation.error().message);
}

void RuleLoader::read_retire(TomlReader& reader, FaultClass& fault, FaultLines& lines) {
  const TomlNode* table = reader.table("retire");
  if (!table) return;
  TomlReader retire(*table, where_of(fault, "retire"), fault.file, errors_);
  RetirePolicy& policy = fault.retire;
  policy.first = retire.word("first", {"degraded", "out-of-service"}).value_or("");
  policy.spare = retire.boolean("spare").value_or(false);
  policy.wait_while = retire.word("wait_while", {"scrub", "resilver"}).value_or("");
  policy.wait_unless = retire.text("wait_unless").value_or("");
  policy.then = retire.word("then", {"out-of-service"}).value_or("");
  policy.replace_same_bay = retire.word("replace", {"same-bay"}).has_value();
  policy.returns = retire.boolean("returns").value_or(false);
  policy.then_after_ns = retire.duration("then_after").value_or(0);
  policy.then_grace_ns = retire.duration("then_grace").value_or(0);
  retire.finish();
  if (policy.then_after_ns && policy.then.empty())
    retire.error(retire.line_of("then_after"), "\"then_after\" goes with a \"then\"");
  if (policy.then_grace_ns && !policy.then_after_ns)
    retire.error(retire.line_of("then_grace"), "\"then_grace\" goes with a \"then_after\"");
  if (policy.first.empty() && !retire.has("first")) {
    const bool only_replace = policy.replace_same_bay && !policy.spare && policy.then.empty() &&
                              policy.wait_while.empty() && !policy.returns;
    if (!only_replace) require_key(retire, "first", table->line);
  }
  lines.wait_unless = retire.line_of("wait_unless");
  if (!policy.wait_unless.empty() && policy.wait_while.empty())
    retire.error(lines.wait_unless, "\"wait_unless\" goes with a \"wait_while\"");
}

void RuleLoader::read_repair(TomlReader& reader, FaultClass& fault, FaultLines& lines) {
  const TomlNode* table = reader.table("repair");
  if (!table) return;
  TomlReader repair(*table, where_of(fault, "repair"), fault.file, errors_);
  RepairPolicy& policy = fault.repair;
  policy.on.classes = classes(repair, "on");
  policy.on.where = conditions(repair, "where", policy.on.classes);
  if (repair.has("where") && policy.on.classes.empty())
    repair.error(repair.line_of("where"),
                 "\"where\" goes with an \"on\", the events that it is about");
  policy.when_clear = repair.boolean("when_clear").value_or(false);
  policy.after_ns = repair.duration("after").value_or(0);
  const TomlNode* when = repair.table("when");
  lines.when = repair.line_of("when");
  lines.when_clear = repair.line_of("when_clear");
  if (when && when->members.size() == 1) {
    const auto& [property, values] = when->members.front();
    policy.property = property;
    policy.values = toml_scalars(repair, values, "when." + property);
    check_property(repair, values.line, "", property);
  } else if (when) {
    repair.error(when->line, "\"when\" has one property and its values");
  }
  repair.finish();
}

}  // namespace fmd
