// RuleLoader: reads [[rule]] and [[fault]] tables from the files, and checks them against each
// other and against the event classes. Private to rules_*.cpp: rules_load.cpp reads the files and
// checks across tables, rules_parse.cpp reads a [[rule]], rules_fault.cpp a [[fault]].
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fmd/base/toml.h"
#include "fmd/rules/rule_overrides.h"
#include "fmd/rules/rules.h"

namespace fmd {

class RuleLoader {
 public:
  RuleLoader(const EventSchema& schema, std::vector<EffectiveTable>* tables)
      : schema_(schema), tables_(tables) {}
  // All files are parsed first: an override may stand in any of them.
  void parse(const SourceFile& file);
  std::pair<std::shared_ptr<const RuleSet>, std::vector<Error>> finish();

 private:
  struct Place {
    std::string file;
    int line = 0;
  };
  struct Conclusion {
    std::string fault;
    Place place;
  };
  // A fault named by unless_fault, while_fault, unless_elsewhere, or a rule's `faults`.
  struct Silence {
    std::string rule, key, fault, file;
    int line = 0;
  };
  struct FaultLines {  // of the keys that are checked against the rules
    int wait_unless = 0, when = 0, when_clear = 0;
  };

  struct Parsed {
    TomlNode root;
    std::string file;
  };

  void read(const Parsed& parsed);
  void read_table(RuleTable kind, const TomlNode& node, const std::string& file);
  void add_rule(const TomlNode& node, const std::string& file);
  void read_evidence(TomlReader& reader, Rule& rule);
  void read_cause(TomlReader& reader, Rule& rule);
  void read_odds(TomlReader& reader, Rule& rule);
  void read_condition(TomlReader& reader, Rule& rule);
  void read_threshold(TomlReader& reader, Rule& rule);
  void read_growth(TomlReader& reader, Rule& rule);
  void read_hold(TomlReader& reader, Rule& rule);
  void read_conclusion(TomlReader& reader, Rule& rule);

  void add_fault(const TomlNode& node, const std::string& file);
  void read_texts(TomlReader& reader, FaultClass& fault);
  void read_fru(TomlReader& reader, FaultClass& fault);
  void read_also(TomlReader& reader, FaultClass& fault);
  void read_retire(TomlReader& reader, FaultClass& fault, FaultLines& lines);
  void read_repair(TomlReader& reader, FaultClass& fault, FaultLines& lines);

  // Keys of both.
  std::vector<std::string> classes(TomlReader& reader, std::string_view key);
  // of_type: the resource type of these properties, for rules without events.
  MemberValues conditions(TomlReader& reader, std::string_view key,
                          const std::vector<std::string>& events, std::string_view of_type = "");
  void check_type(TomlReader& reader, std::string_view key, std::string_view type);
  // type "": some type's.
  void check_property(TomlReader& reader, int line, std::string_view type,
                      std::string_view property);
  void check_member(TomlReader& reader, const TomlNode& node, const std::string& member,
                    const std::vector<Value>& values, const std::vector<std::string>& events);

  void check_across();
  void check_repair(const FaultClass& fault);

  const EventSchema& schema_;
  std::shared_ptr<RuleSet> set_ = std::make_shared<RuleSet>();
  std::vector<Error> errors_;
  std::vector<EffectiveTable>* tables_;
  std::vector<Parsed> parsed_;
  RuleOverrides overrides_;
  std::set<std::string> off_;                      // rules that are switched off
  std::vector<std::string> files_;                 // in reading order, for the order of errors
  std::map<std::string, std::string> codes_;       // msg-id → fault class
  std::map<std::string, Conclusion> conclusions_;  // rule name → the fault that it names
  std::vector<Silence> silences_;
  std::map<std::string, FaultLines> lines_;  // fault class →
};

// The values of a scalar or an array of scalars; none, or another kind, is an error.
std::vector<Value> toml_scalars(TomlReader& reader, const TomlNode& node, std::string_view key);
void require_key(TomlReader& reader, std::string_view key, int line);

}  // namespace fmd
