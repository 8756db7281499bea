// Reads one [[rule]] table.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "fmd/base/text.h"
#include "fmd/rules/rules_load.h"

namespace fmd {
namespace {

const std::vector<std::pair<std::string, RuleKind>> kKinds{
    {"serd", RuleKind::serd},   {"immediate", RuleKind::immediate}, {"cause", RuleKind::cause},
    {"state", RuleKind::state}, {"threshold", RuleKind::threshold}, {"growth", RuleKind::growth}};

constexpr int64_t kUsualWait = 5LL * 1000000000;
constexpr double kMostPerYear = 1000;

bool is_rule_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

// Keys that only some kinds know.
struct KindKey {
  std::string_view key;
  std::vector<RuleKind> kinds;
};
const std::vector<RuleKind> kConditions{RuleKind::state, RuleKind::threshold, RuleKind::growth};
const std::vector<RuleKind> kOfSomething{RuleKind::serd, RuleKind::immediate, RuleKind::state,
                                         RuleKind::threshold, RuleKind::growth};
const std::vector<RuleKind> kAll{RuleKind::serd,  RuleKind::immediate, RuleKind::cause,
                                 RuleKind::state, RuleKind::threshold, RuleKind::growth};
const std::vector<KindKey> kKindKeys{
    {"events", {RuleKind::serd, RuleKind::immediate}},
    {"count", {RuleKind::serd}},
    {"within", {RuleKind::serd, RuleKind::cause, RuleKind::growth}},
    {"faults", {RuleKind::cause}},
    {"explains", {RuleKind::cause}},
    {"parts", {RuleKind::cause}},
    {"along", {RuleKind::cause}},
    {"in_common", {RuleKind::cause}},
    {"rate", {RuleKind::cause}},
    {"own", {RuleKind::cause}},
    {"share", {RuleKind::cause}},
    {"upstream", {RuleKind::cause}},
    {"links", {RuleKind::cause}},
    {"wait", {RuleKind::cause}},
    {"kinds", {RuleKind::cause}},
    {"over_after", {RuleKind::cause}},
    {"where", kOfSomething},
    {"where_not", kOfSomething},
    {"hold", kAll},
    {"hold_gone", kOfSomething},
    {"unless", kOfSomething},
    {"unless_open", kOfSomething},
    {"unless_fault", kOfSomething},
    {"count_property", {RuleKind::serd}},
    {"within_property", {RuleKind::serd}},
    {"count_by", {RuleKind::serd}},
    {"count_distinct", {RuleKind::serd}},
    {"count_distinct_block", {RuleKind::serd}},
    {"culprits_at_most", {RuleKind::serd}},
    {"reset_on", {RuleKind::serd}},
    {"type", kConditions},
    {"property", kConditions},
    {"values", {RuleKind::state}},
    {"while_exchange", {RuleKind::state}},
    {"while_pulled", {RuleKind::state}},
    {"where_bay", {RuleKind::state}},
    {"where_bay_not", {RuleKind::state}},
    {"above", {RuleKind::threshold}},
    {"below", {RuleKind::threshold}},
    {"above_at_most", {RuleKind::threshold}},
    {"up_to", {RuleKind::threshold}},
    {"counter", {RuleKind::serd, RuleKind::growth}},
    {"while_fault", kConditions},
    {"unless_elsewhere", kConditions},
    {"clear_above", {RuleKind::threshold}},
    {"clear_below", {RuleKind::threshold}},
    {"above_property", {RuleKind::threshold}},
    {"below_property", {RuleKind::threshold}},
    {"by", {RuleKind::growth}},
    {"first_above", {RuleKind::growth}}};

// Keys of the response, which belong into the [[fault]] table, whichever rule finds the fault.
struct MovedKey {
  std::string_view key, to;
};
constexpr MovedKey kMovedKeys[] = {{"led", ""},
                                   {"fru", "[fault.fru]"},
                                   {"retire", "[fault.retire]"},
                                   {"repair", "[fault.repair]"},
                                   {"repair_on", "\"on\" of [fault.repair]"},
                                   {"repair_when", "\"when\" of [fault.repair]"},
                                   {"repair_when_clear", "\"when_clear\" of [fault.repair]"},
                                   {"repair_after", "\"after\" of [fault.repair]"}};

// Keys of rules of kind "cause" in earlier releases. Ignored, with a hint.
constexpr std::string_view kPastKeys[] = {
    "at_once", "begun",  "count",      "gather",    "hold_alone",     "links_within", "moment",
    "proof",   "settle", "signs_wait", "undecided", "upstream_along", "well"};
constexpr std::string_view kPastKind = "common";  // now "cause"

bool is_past(std::string_view key) {
  return std::find(std::begin(kPastKeys), std::end(kPastKeys), key) != std::end(kPastKeys);
}

bool of_kind(const KindKey& entry, RuleKind kind) {
  return std::find(entry.kinds.begin(), entry.kinds.end(), kind) != entry.kinds.end();
}

void refuse_other_kinds_keys(TomlReader& reader, RuleKind kind) {
  for (const KindKey& entry : kKindKeys) {
    if (of_kind(entry, kind) || (kind == RuleKind::cause && is_past(entry.key))) continue;
    if (!reader.any(entry.key)) continue;
    std::vector<std::string> names;
    for (const auto& [name, k] : kKinds)
      if (of_kind(entry, k)) names.push_back(fmt::format("\"{}\"", name));
    reader.error(reader.line_of(entry.key), fmt::format("\"{}\" belongs to kind {} only", entry.key,
                                                        fmt::join(names, " and ")));
  }
}

}  // namespace

void require_key(TomlReader& reader, std::string_view key, int line) {
  if (!reader.has(key)) reader.error(line, fmt::format("\"{}\" is missing", key));
}

std::vector<Value> toml_scalars(TomlReader& reader, const TomlNode& node, std::string_view key) {
  std::vector<Value> out;
  if (node.kind == TomlNode::Kind::value) {
    out.push_back(node.value);
  } else {
    for (const TomlNode& item : node.items) out.push_back(item.value);
  }
  const bool bad = std::any_of(out.begin(), out.end(), [](const Value& v) {
    return std::holds_alternative<std::monostate>(v);
  });
  if (out.empty() || bad)
    reader.error(node.line, fmt::format("\"{}\" must be an array of strings, numbers or booleans",
                                        display(key)));
  return out;
}

void RuleLoader::add_rule(const TomlNode& node, const std::string& file) {
  const TomlNode* named = node.find("name");
  const auto* name = named ? std::get_if<std::string>(&named->value) : nullptr;
  TomlReader reader(node, name ? fmt::format("rule \"{}\"", display(*name)) : "rule", file,
                    errors_);
  Rule rule;
  rule.file = file;
  rule.line = node.line;
  rule.name = reader.required_text("name");
  if (!rule.name.empty() && !is_rule_name(rule.name))
    reader.error(reader.line_of("name"), "a rule's name is made of a-z, 0-9, - and _");
  if (set_->find(rule.name))
    reader.error(reader.line_of("name"), "there is a rule of this name already");
  std::vector<std::string> kinds;
  for (const auto& [kind, k] : kKinds) kinds.push_back(kind);
  require_key(reader, "kind", node.line);
  const TomlNode* said = node.find("kind");
  const auto* old = said ? std::get_if<std::string>(&said->value) : nullptr;
  const bool is_past_kind = old && *old == kPastKind;
  if (is_past_kind) {
    reader.any("kind");
    set_->ignored_.push_back({rule.name, "kind", file, reader.line_of("kind"), "\"cause\""});
  }
  const auto kind = is_past_kind ? "cause" : reader.word("kind", kinds);
  const auto known = std::find_if(kKinds.begin(), kKinds.end(),
                                  [&](const auto& entry) { return entry.first == kind; });
  if (known != kKinds.end()) {
    rule.kind = known->second;
    refuse_other_kinds_keys(reader, rule.kind);
    if (rule.is_of_events())
      read_evidence(reader, rule);
    else if (rule.kind == RuleKind::cause)
      read_cause(reader, rule);
    else
      read_condition(reader, rule);
  } else {
    for (const KindKey& entry : kKindKeys) reader.any(entry.key);
  }
  read_hold(reader, rule);
  read_conclusion(reader, rule);
  for (const std::string_view key : kPastKeys)
    if (rule.kind == RuleKind::cause && reader.has(key)) {
      reader.any(key);
      set_->ignored_.push_back({rule.name, std::string(key), file, reader.line_of(key)});
    }
  reader.finish();
  const auto index = static_cast<uint32_t>(set_->rules_.size());
  if (!set_->by_name_.emplace(rule.name, index).second) return;
  if (!rule.resource_type.empty()) set_->by_type_[rule.resource_type].push_back(index);
  set_->rules_.push_back(std::move(rule));
}

std::vector<std::string> RuleLoader::classes(TomlReader& reader, std::string_view key) {
  std::vector<std::string> patterns = reader.texts(key);
  for (const std::string& pattern : patterns)
    if (const auto found = schema_.matching(pattern); !found)
      reader.error(reader.line_of(key), fmt::format("\"{}\": {}", key, found.error().message));
  return patterns;
}

void RuleLoader::read_evidence(TomlReader& reader, Rule& rule) {
  require_key(reader, "events", rule.line);
  rule.events = classes(reader, "events");
  if (rule.events.empty() && reader.has("events"))
    reader.error(reader.line_of("events"), "\"events\" is empty");
  rule.where = conditions(reader, "where", rule.events);
  rule.where_not = conditions(reader, "where_not", rule.events);
  if (rule.kind != RuleKind::serd) return;
  // Without a number of its own it counts only where the property gives one.
  if (!reader.has("count_property")) require_key(reader, "count", rule.line);
  require_key(reader, "within", rule.line);
  rule.count = static_cast<uint64_t>(
      reader.integer("count", 1, static_cast<int64_t>(kMaxSerdCount)).value_or(0));
  rule.within_ns = reader.duration("within").value_or(0);
  rule.count_property = reader.text("count_property").value_or("");
  rule.within_property = reader.text("within_property").value_or("");
  rule.counter = reader.text("counter").value_or("");
  rule.by_ena = reader.word("count_by", {"event", "ena"}) == "ena";
  rule.distinct = reader.text("count_distinct").value_or("");
  if (rule.by_ena && !rule.distinct.empty())
    reader.error(reader.line_of("count_distinct"), "\"count_distinct\" goes without \"count_by\"");
  if (const TomlNode* node = reader.any("count_distinct"))
    check_member(reader, *node, rule.distinct, {}, rule.events);
  rule.distinct_block = reader.text("count_distinct_block").value_or("");
  if (!rule.distinct_block.empty() && rule.distinct.empty())
    reader.error(reader.line_of("count_distinct_block"),
                 "\"count_distinct_block\" goes with \"count_distinct\"");
  rule.culprits_property = reader.text("culprits_at_most").value_or("");
  if (!rule.culprits_property.empty() && !rule.by_ena)
    reader.error(reader.line_of("culprits_at_most"),
                 "\"culprits_at_most\" goes with count_by = \"ena\"");
  for (const auto& [key, property] : {std::pair("count_property", &rule.count_property),
                                      {"within_property", &rule.within_property},
                                      {"count_distinct_block", &rule.distinct_block},
                                      {"culprits_at_most", &rule.culprits_property}})
    check_property(reader, reader.line_of(key), "", *property);
  rule.reset_on = classes(reader, "reset_on");
}

void RuleLoader::read_cause(TomlReader& reader, Rule& rule) {
  require_key(reader, "faults", rule.line);
  rule.faults = reader.texts("faults");
  rule.explains = reader.texts("explains");
  rule.upstream = reader.texts("upstream");
  rule.links = reader.texts("links");
  for (const auto& [key, named] : {std::pair("faults", &rule.faults),
                                   {"explains", &rule.explains},
                                   {"upstream", &rule.upstream},
                                   {"links", &rule.links}})
    for (const std::string& fault : *named)
      silences_.push_back({rule.name, key, fault, rule.file, reader.line_of(key)});
  rule.part_types = reader.has("parts") ? reader.texts("parts") : std::vector<std::string>{"disk"};
  if (rule.part_types.empty()) reader.error(reader.line_of("parts"), "\"parts\" names no type");
  for (const std::string& type : rule.part_types) check_type(reader, "parts", type);
  rule.in_common = reader.text("in_common").value_or("");
  if (rule.in_common.empty()) require_key(reader, "along", rule.line);
  for (const std::string& name : reader.texts("along"))
    if (const auto relation = parse_relation(name))
      rule.along.push_back(*relation);
    else
      reader.error(reader.line_of("along"), relation.error().message);
  rule.kinds = static_cast<size_t>(reader.integer("kinds", 1, 64).value_or(1));
  rule.wait_ns = reader.duration("wait").value_or(kUsualWait);
  rule.within_ns = reader.duration("within").value_or(0);
  rule.over_after_ns = reader.duration("over_after").value_or(0);
  read_odds(reader, rule);
}

void RuleLoader::read_odds(TomlReader& reader, Rule& rule) {
  for (const auto& [key, rate] : {std::pair("rate", &rule.rate), {"own", &rule.own}}) {
    *rate = reader.number(key).value_or(*rate);
    if (*rate <= 0 || *rate > kMostPerYear)
      reader.error(
          reader.line_of(key),
          fmt::format("\"{}\" is a rate per year, above 0 and at most {}", key, kMostPerYear));
  }
  rule.share = reader.number("share").value_or(rule.share);
  if (rule.share < 0 || rule.share > 1)
    reader.error(reader.line_of("share"), "\"share\" is a share, from 0 to 1");
  if (!rule.is_of_disks()) return;
  if (reader.has("own"))
    reader.error(reader.line_of("own"),
                 "\"own\" is for other parts than disks, whose rates are known");
  for (const std::string_view key : {"kinds", "share", "within"})  // of an earlier release
    if (reader.has(key))
      set_->ignored_.push_back({rule.name, std::string(key), rule.file, reader.line_of(key)});
}

void RuleLoader::read_condition(TomlReader& reader, Rule& rule) {
  rule.resource_type = reader.required_text("type");
  rule.property = reader.required_text("property");
  check_type(reader, "type", rule.resource_type);
  check_property(reader, reader.line_of("property"), rule.resource_type, rule.property);
  rule.where = conditions(reader, "where", rule.events, rule.resource_type);
  rule.where_not = conditions(reader, "where_not", rule.events, rule.resource_type);
  rule.while_fault = reader.texts("while_fault");
  for (const std::string& fault : rule.while_fault)
    silences_.push_back(
        {rule.name, "while_fault", fault, rule.file, reader.line_of("while_fault")});
  rule.unless_elsewhere = reader.texts("unless_elsewhere");
  for (const std::string& fault : rule.unless_elsewhere)
    silences_.push_back(
        {rule.name, "unless_elsewhere", fault, rule.file, reader.line_of("unless_elsewhere")});
  if (rule.kind == RuleKind::threshold) return read_threshold(reader, rule);
  if (rule.kind == RuleKind::growth) return read_growth(reader, rule);
  rule.where_bay = conditions(reader, "where_bay", rule.events, "bay");
  rule.where_bay_not = conditions(reader, "where_bay_not", rule.events, "bay");
  require_key(reader, "values", rule.line);
  if (const TomlNode* values = reader.any("values"))
    rule.values = toml_scalars(reader, *values, "values");
}

void RuleLoader::read_threshold(TomlReader& reader, Rule& rule) {
  rule.above = reader.number("above");
  rule.below = reader.number("below");
  rule.clear_above = reader.number("clear_above");
  rule.clear_below = reader.number("clear_below");
  const auto relative = [&](std::string_view key, std::string& property,
                            std::optional<double>& limit) {
    property = reader.text(key).value_or("");
    if (!reader.has(key)) return;
    limit = limit.value_or(0);
    if (std::get_if<std::string>(&reader.any(key)->value) && property.empty())
      reader.error(reader.line_of(key), fmt::format("\"{}\" is empty", key));
    check_property(reader, reader.line_of(key), rule.resource_type, property);
  };
  relative("above_property", rule.above_property, rule.above);
  if (!rule.above_property.empty() && *rule.above > 0)
    reader.error(
        reader.line_of("above"),
        "\"above\" is added to \"above_property\" and is at most 0; \"above_at_most\" caps "
        "the limit");
  relative("below_property", rule.below_property, rule.below);
  rule.above_at_most = reader.number("above_at_most");
  if (rule.above_at_most && rule.above_property.empty())
    reader.error(reader.line_of("above_at_most"),
                 "\"above_at_most\" goes with an \"above_property\"");
  rule.up_to = reader.number("up_to");
  if (rule.up_to && (!rule.above || !rule.above_property.empty() || *rule.up_to <= *rule.above))
    reader.error(reader.line_of("up_to"), "\"up_to\" goes with an \"above\" that is less than it");
  if (!rule.above && !rule.below) reader.error(rule.line, "\"above\" or \"below\" is missing");
  const bool comparable = rule.above_property == rule.below_property;
  if (rule.above && rule.below && comparable && *rule.above < *rule.below)
    reader.error(reader.line_of("above"), "\"above\" must not be less than \"below\"");
  if (rule.clear_above && (!rule.above || *rule.clear_above > *rule.above))
    reader.error(reader.line_of("clear_above"),
                 "\"clear_above\" belongs to \"above\", which it must not exceed; with "
                 "\"below\", use \"clear_below\"");
  if (rule.clear_below && (!rule.below || *rule.clear_below < *rule.below))
    reader.error(reader.line_of("clear_below"),
                 "\"clear_below\" belongs to \"below\" and must be at least as high; with "
                 "\"above\", use \"clear_above\"");
}

void RuleLoader::read_growth(TomlReader& reader, Rule& rule) {
  rule.first_above = reader.number("first_above");
  if (!rule.first_above) require_key(reader, "by", rule.line);
  rule.by = reader.number("by").value_or(std::numeric_limits<double>::infinity());
  if (rule.by <= 0) reader.error(reader.line_of("by"), "\"by\" must be more than 0");
  rule.within_ns = reader.duration("within").value_or(0);
  rule.counter = reader.text("counter").value_or("");
}

MemberValues RuleLoader::conditions(TomlReader& reader, std::string_view key,
                                    const std::vector<std::string>& events,
                                    std::string_view of_type) {
  MemberValues out;
  const TomlNode* table = reader.table(key);
  if (!table) return out;
  for (const auto& [member, node] : table->members) {
    std::vector<Value> values = toml_scalars(reader, node, fmt::format("{}.{}", key, member));
    if (of_type.empty())
      check_member(reader, node, member, values, events);
    else
      check_property(reader, node.line, of_type, member);
    out.emplace_back(member, std::move(values));
  }
  return out;
}

void RuleLoader::check_type(TomlReader& reader, std::string_view key, std::string_view type) {
  if (type.empty()) return;  // reported already
  if (const auto good = schema_.vocabulary().check_type(type); !good)
    reader.error(reader.line_of(key), good.error().message);
}

void RuleLoader::check_property(TomlReader& reader, int line, std::string_view type,
                                std::string_view property) {
  if (property.empty()) return;
  if (const auto good = schema_.vocabulary().check_property(type, property); !good)
    reader.error(line, good.error().message);
}

// A member that no class of the events has, or a value of another type, would never be equal.
void RuleLoader::check_member(TomlReader& reader, const TomlNode& node, const std::string& member,
                              const std::vector<Value>& values,
                              const std::vector<std::string>& events) {
  std::vector<std::string> names;
  const EventClass::Member* declared = nullptr;
  for (const std::string& pattern : events) {
    const auto matching = schema_.matching(pattern);
    if (!matching) return;  // reported already
    for (const EventClass* c : *matching)
      for (const EventClass::Member& m : c->members) {
        names.push_back(m.name);
        if (m.name == member) declared = &m;
      }
  }
  if (events.empty()) return;  // reported already
  if (!declared) {
    reader.error(node.line, fmt::format("the events have no member \"{}\"{}", display(member),
                                        suggest(member, names)));
    return;
  }
  if (declared->type == MemberType::any) return;
  for (const Value& value : values) {
    const bool text = std::holds_alternative<std::string>(value);
    const bool boolean = std::holds_alternative<bool>(value);
    if (text == (declared->type == MemberType::string) &&
        boolean == (declared->type == MemberType::boolean))
      continue;
    reader.error(
        node.line,
        fmt::format("the member \"{}\" is never {}: its type is another", display(member),
                    text ? fmt::format("\"{}\"", display(to_text(value))) : to_text(value)));
  }
}

void RuleLoader::read_hold(TomlReader& reader, Rule& rule) {
  rule.hold_ns = reader.duration("hold").value_or(0);
  rule.unless = classes(reader, "unless");
  if (!rule.unless.empty() && rule.hold_ns == 0)
    reader.error(reader.line_of("unless"),
                 "\"unless\" goes with a \"hold\", the time in which it may happen");
  rule.hold_gone_ns = reader.duration("hold_gone").value_or(0);
  if (rule.hold_gone_ns > 0 && rule.unless.empty())
    reader.error(reader.line_of("hold_gone"),
                 "\"hold_gone\" goes with \"unless\", which may come later then");
  rule.unless_open = reader.boolean("unless_open").value_or(false);
  rule.unless_fault = reader.texts("unless_fault");
  for (const std::string& fault : rule.unless_fault)
    silences_.push_back(
        {rule.name, "unless_fault", fault, rule.file, reader.line_of("unless_fault")});
  rule.while_exchange = reader.boolean("while_exchange").value_or(false);
  rule.while_pulled = reader.boolean("while_pulled").value_or(false);
}

void RuleLoader::read_conclusion(TomlReader& reader, Rule& rule) {
  const std::string fault = reader.required_text("fault");
  if (!fault.empty())
    conclusions_.try_emplace(rule.name, Conclusion{fault, {rule.file, reader.line_of("fault")}});
  rule.certainty = static_cast<int>(reader.integer("certainty", 1, 100).value_or(100));
  for (const auto& [key, to] : kMovedKeys)
    if (reader.has(key) && reader.any(key))  // else it is no key of a rule, nor a suggestion
      reader.error(reader.line_of(key),
                   fmt::format("\"{}\" belongs to the [[fault]] that the rule concludes{}: move it "
                               "there{}{}",
                               key, fault.empty() ? "" : fmt::format(" ({})", display(fault)),
                               to.empty() ? "" : ", as ", to));
}

}  // namespace fmd
