// fmadm explain: the meaning of a message id or fault class, from the rules. Texts as in docs/msg.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <map>

#include "fmd/base/glob.h"
#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "fmd/base/toml.h"
#include "fmd/model/case.h"
#include "ui/cli/commands.h"
#include "ui/cli/layout.h"
#include "ui/cli/rule_loading.h"
#include "ui/cli/rules_commands.h"

namespace fmd::cli {
namespace {

struct Section {
  std::string title;
  std::vector<std::string> paragraphs;
  std::vector<std::string> items;
};

struct Explanation {
  const FaultClass* fault = nullptr;
  std::vector<Section> sections;
};

// "{event.operation}" → "OPERATION": a placeholder without a case.
std::string generic(const std::string& text) {
  return placeholders::fill(text, [](std::string_view name) {
    if (name == "repeated") return std::string();  // ", 3 times": with its own comma, or nothing
    if (name == "box") return std::string("machine or enclosure");
    if (name == "from") return std::string("LIMIT");
    std::string word(name.substr(name.rfind('.') + 1));
    for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return word;
  });
}

// The comment above a table, which explains its numbers. Skips headings ("# --- Disk ---").
std::string comment_above(const std::vector<std::string>& lines, int line) {
  std::string text;
  for (int at = line - 2; at >= 0 && at < static_cast<int>(lines.size()); --at) {
    const std::string& above = lines[static_cast<size_t>(at)];
    if (!above.starts_with('#') || above.starts_with("# ---")) break;
    const size_t begin = above.find_first_not_of("# ");
    const std::string words = begin == std::string::npos ? "" : above.substr(begin);
    text = words + (text.empty() ? "" : " ") + text;
  }
  return text;
}

class Sources {
 public:
  std::string comment(const std::string& file, int line) {
    auto [at, fresh] = files_.try_emplace(file);
    if (fresh) {
      std::ifstream in(file);
      for (std::string text; std::getline(in, text);) at->second.push_back(text);
    }
    return comment_above(at->second, line);
  }

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

// False for a rule's keys that are texts or names.
bool is_threshold(std::string_view key) {
  constexpr std::string_view kNames[] = {
      "name",      "kind",     "events",       "fault",           "type",  "unless",
      "faults",    "explains", "parts",        "upstream",        "links", "along",
      "in_common", "enabled",  "unless_fault", "unless_elsewhere"};
  return std::find(std::begin(kNames), std::end(kNames), key) == std::end(kNames);
}

std::string list_of(const std::vector<std::string>& words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i)
    out += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return out;
}

std::string values_of(const Rule& rule) {
  std::vector<std::string> words;
  for (const Value& value : rule.values) words.push_back(to_text(value));
  return list_of(words);
}

std::string when_words(const Rule& rule) {
  const std::string within =
      rule.within_ns > 0 ? " within " + format_duration(rule.within_ns) : std::string();
  switch (rule.kind) {
    case RuleKind::immediate:
      return "one event of class " + list_of(rule.events);
    case RuleKind::serd:
      return fmt::format("{} events of class {} about one part{}", rule.count, list_of(rule.events),
                         within);
    case RuleKind::cause:
      return "several parts fail, and what they share is the most likely cause";
    case RuleKind::state:
      return fmt::format("the property {} of a {} is {}", rule.property, rule.resource_type,
                         values_of(rule));
    case RuleKind::threshold:
      return fmt::format(
          "the property {} of a {} is {}", rule.property, rule.resource_type,
          rule.above || !rule.above_property.empty() ? "above its limit" : "below its limit");
    case RuleKind::growth:
      return fmt::format("the counter {} of a {} grows{}", rule.property, rule.resource_type,
                         within);
    default:
      break;
  }
  return fmt::format("its condition ({}) is met", rule.name);
}

// "severity is corrected or deferred and level is not L3"; "" it is about all.
std::string member_words(const MemberValues& where, const MemberValues& where_not) {
  std::string out;
  for (const auto& [members, is] : {std::pair{&where, "is"}, {&where_not, "is not"}})
    for (const auto& [member, values] : *members) {
      std::vector<std::string> words;
      for (const Value& value : values) words.push_back(to_text(value));
      out +=
          fmt::format("{}{} {} {}", out.empty() ? "" : " and ", member.str(), is, list_of(words));
    }
  return out;
}

std::string found_words(const Rule& rule) {
  std::string out = fmt::format("Rule {}: {}", rule.name, when_words(rule));
  if (const std::string if_so = member_words(rule.where, rule.where_not); !if_so.empty())
    out += ", if " + if_so;
  if (rule.hold_ns > 0) out += ", without an explanation for " + format_duration(rule.hold_ns);
  return out + '.';
}

// The conditions under which the rule does not apply.
std::vector<std::string> not_words(const Rule& rule) {
  std::vector<std::string> out;
  if (!rule.unless.empty())
    out.push_back(fmt::format("Not if {} follows within {}.", list_of(rule.unless),
                              format_duration(rule.hold_ns)));
  if (rule.unless_open) out.emplace_back("Not while another case about the same part is open.");
  if (!rule.unless_fault.empty())
    out.push_back("Not while the part has the more severe fault " + list_of(rule.unless_fault) +
                  ".");
  if (!rule.unless_elsewhere.empty())
    out.push_back("Not while " + list_of(rule.unless_elsewhere) +
                  " is open about another part of the same machine or enclosure.");
  return out;
}

void add_rule(Explanation& out, const Rule& rule, const LoadedRules& loaded, Sources& sources) {
  out.sections[1].items.push_back(found_words(rule));
  for (std::string& text : not_words(rule))
    if (auto& items = out.sections[4].items;
        std::find(items.begin(), items.end(), text) == items.end())
      items.push_back(std::move(text));
  std::string numbers;
  for (const EffectiveTable& table : loaded.tables) {
    if (table.kind != RuleTable::rule || table.name != rule.name) continue;
    for (const EffectiveValue& v : table.values)
      if (is_threshold(v.key)) {
        numbers += fmt::format("{}{} = {}", numbers.empty() ? "" : ", ", v.key, v.value);
        if (!v.instead_of.empty())
          numbers += fmt::format(" ({}, instead of {})", v.file, v.instead_of);
      }
  }
  Section& thresholds = out.sections[5];
  if (!numbers.empty()) thresholds.items.push_back(fmt::format("Rule {}: {}.", rule.name, numbers));
  const std::string comment = sources.comment(rule.file, rule.line);
  auto& reasons = thresholds.paragraphs;
  if (!comment.empty() && std::find(reasons.begin(), reasons.end(), comment) == reasons.end())
    reasons.push_back(comment);
}

std::string ending_words(const FaultClass& fault) {
  if (fault.repair.after_ns > 0)
    return "The case ends by itself after " + format_duration(fault.repair.after_ns) +
           " without another sign of it.";
  if (fault.repair.when_clear || !fault.repair.property.empty())
    return "The case ends by itself when the condition is gone.";
  if (const auto& on = fault.repair.on; !on.classes.empty()) {
    const std::string if_so = member_words(on.where, {});
    return fmt::format("The case ends {}with {}{}.", if_so.empty() ? "by itself " : "",
                       list_of(on.classes), if_so.empty() ? "" : ", if " + if_so);
  }
  return "The case ends when the part is replaced or reported as repaired.";
}

// Adds the general steps of a replacement, of which 'fmadm faulty' prints those that apply to a case.
std::vector<std::string> actions_of(const FaultClass& fault) {
  std::vector<std::string> out{generic(fault.action)};
  if (fault.replaces)
    out.emplace_back(
        "'fmadm locate on PART' lights the locate LED of the disk's bay. If a ZFS pool or an md "
        "array of whole disks has data on the disk, a blank one at least as large in the same bay "
        "is used automatically: 'fmadm resilver' shows the progress, and a message follows at the "
        "end. In other cases run 'fmadm replaced PART' if the case does not close by itself.");
  return out;
}

Explanation explained(const FaultClass& fault, const LoadedRules& loaded, Sources& sources) {
  Explanation out;
  out.fault = &fault;
  out.sections = {
      {"Description and impact", {generic(fault.description), generic(fault.impact)}, {}},
      {"Detection", {}, {}},
      {"Automatic response", {generic(fault.response), ending_words(fault)}, {}},
      {"Recommended action", actions_of(fault), {}},
      {"Exceptions", {}, {}},
      {"Thresholds", {}, {}}};
  for (const Rule& rule : loaded.rules->rules())
    if (rule.fault == &fault) add_rule(out, rule, loaded, sources);
  if (out.sections[1].items.empty())
    out.sections[1].paragraphs.emplace_back("No rule in force concludes it.");
  return out;
}

std::string word_of_severity(const FaultClass& fault) {
  return std::string(severity_word(fault.severity, fault.information));
}

std::string terminal_text(const Explanation& e) {
  const std::string severity = word_of_severity(*e.fault);
  std::string out = wrapped(
      "", painted(e.fault->code, Tone::strong) + ": " + clean_prose(generic(e.fault->title)), 2);
  out += wrapped(
      "",
      fmt::format("{}, {}", painted(severity, tone_of_severity(severity)), clean(e.fault->name)),
      2);
  for (const Section& section : e.sections) {
    if (section.paragraphs.empty() && section.items.empty()) continue;
    out += '\n' + painted(section.title, Tone::strong) + '\n';
    for (const std::string& text : section.items) out += wrapped("  - ", clean_prose(text), 4);
    for (const std::string& text : section.paragraphs) out += wrapped("  ", clean_prose(text), 2);
  }
  return out;
}

std::string page_text(const Explanation& e) {
  std::string out = fmt::format("# {}: {}\n\n{}, `{}`\n", e.fault->code, generic(e.fault->title),
                                word_of_severity(*e.fault), e.fault->name);
  for (const Section& section : e.sections) {
    if (section.paragraphs.empty() && section.items.empty()) continue;
    out += "\n## " + section.title + "\n";
    if (!section.items.empty()) out += '\n';
    for (const std::string& text : section.items) out += "- " + text + '\n';
    for (const std::string& text : section.paragraphs) out += '\n' + text + '\n';
  }
  return out;
}

std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::vector<const FaultClass*> faults_meant(const RuleSet& rules, const std::string& given) {
  const std::string code = upper_case(given);
  std::vector<const FaultClass*> found;
  for (const auto& [name, fault] : rules.faults())
    if (given.empty() || fault.code == code || glob_matches(given, name)) found.push_back(&fault);
  return found;
}

// Printed by zpool status for the pool as a whole (libzfs_status.c); FMA's dictionary ZFS includes them.
bool is_of_zpool_status(std::string_view code) {
  constexpr std::array<std::string_view, 16> kEndings{"14", "2Q", "3C", "4J", "5E", "6X",
                                                      "72", "8A", "9P", "A5", "EY", "HC",
                                                      "JQ", "K4", "MM", "ER"};
  constexpr std::string_view kBegin = "ZFS-8000-";
  return code.starts_with(kBegin) &&
         std::find(kEndings.begin(), kEndings.end(), code.substr(kBegin.size())) != kEndings.end();
}

// "DISK-8000-12" → "-8000-12"; "" for anything that is not formed as a message id. Ids whose numbers differ are unrelated.
std::string_view number_of_code(std::string_view code) {
  constexpr size_t kNumber = 8;
  if (code.size() <= kNumber) return {};
  const std::string_view number = code.substr(code.size() - kNumber);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool formed = number[0] == '-' && number[5] == '-' &&
                      std::all_of(number.begin() + 1, number.begin() + 5, is_digit);
  return formed ? number : std::string_view();
}

Result<void> unknown(const RuleSet& rules, const std::string& given) {
  const std::string code = upper_case(given);
  if (is_of_zpool_status(code))
    return fail(
        fmt::format("{0} is an id of 'zpool status', not of fmd; see zpool-status(8) and "
                    "https://openzfs.github.io/openzfs-docs/msg/{0}",
                    code));
  const std::string_view number = number_of_code(code);
  std::vector<std::string> names;
  for (const auto& [name, fault] : rules.faults()) {
    if (number.empty()) names.push_back(name);
    if (number.empty() || fault.code.ends_with(number)) names.push_back(fault.code);
  }
  return fail(fmt::format("there is no message or fault class \"{}\"; 'fmadm explain' lists them{}",
                          clean(given), suggest(number.empty() ? given : code, names)));
}

Result<void> write_page(const std::string& folder, const std::string& name,
                        const std::string& text) {
  const std::string path = folder + "/" + name + ".md";
  std::ofstream out(path, std::ios::trunc);
  out << text;
  out.close();
  return out ? Result<void>() : fail("cannot write " + path);
}

Result<void> write_pages(const std::string& folder, const LoadedRules& loaded) {
  Sources sources;
  std::map<std::string, const FaultClass*> by_code;
  for (const auto& [name, fault] : loaded.rules->faults()) by_code[fault.code] = &fault;
  std::string index =
      "# Messages\n\nA page for each message of fmd, for those who got one. 'fmadm explain ID' "
      "prints the same with the\n"
      "thresholds in force. Written by 'fmadm explain --pages'.\n\n| message | severity | title "
      "|\n|---|---|---|\n";
  for (const auto& [code, fault] : by_code) {
    if (auto done = write_page(folder, code, page_text(explained(*fault, loaded, sources))); !done)
      return done;
    index += fmt::format("| [{0}]({0}.md) | {1} | {2} |\n", code, word_of_severity(*fault),
                         generic(fault->title));
  }
  return write_page(folder, "README", index);
}

}  // namespace

Result<void> explain(const ExplainOptions& options) {
  const LoadedRules loaded = load_rules(options.rules, options.events);
  if (!loaded.errors.empty()) return tl::unexpected(say_errors(loaded.errors));
  if (!options.pages.empty()) return write_pages(options.pages, loaded);
  std::vector<const FaultClass*> faults;
  for (const std::string& given : options.ids) {
    const auto found = faults_meant(*loaded.rules, given);
    if (found.empty()) return unknown(*loaded.rules, given);
    faults.insert(faults.end(), found.begin(), found.end());
  }
  if (options.ids.empty()) faults = faults_meant(*loaded.rules, "");
  Sources sources;
  nlohmann::json docs = nlohmann::json::array();
  Table table({"MESSAGE", "SEVERITY", "TITLE"});
  std::string text;
  for (const FaultClass* fault : faults) {
    if (options.ids.empty() && !options.json) {
      table.add({fault->code, word_of_severity(*fault), generic(fault->title)});
      continue;
    }
    const Explanation one = explained(*fault, loaded, sources);
    text += (text.empty() ? "" : "\n") + (options.json ? "" : terminal_text(one));
    docs.push_back({{"code", fault->code},
                    {"class", fault->name},
                    {"severity", fault->severity},
                    {"title", generic(fault->title)},
                    {"text", page_text(one)}});
  }
  if (options.json) return print(json_text(docs));
  return print(options.ids.empty() ? table.text() : text);
}

}  // namespace fmd::cli
