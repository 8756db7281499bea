// RuleLoader: reads [[rule]] and [[fault]] tables out of the files and checks them against each
// other and against the event classes. Private to rules_*.cpp.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fmd/base/toml.h"
#include "fmd/rules/rules.h"

namespace fmd {

class RuleLoader {
 public:
  explicit RuleLoader(const EventSchema& schema) : schema_(schema) {}
  void add(const SourceFile& file);
  std::pair<std::shared_ptr<const RuleSet>, std::vector<Error>> finish();

 private:
  void add_rule(const TomlNode& node, const std::string& file);
  void read_evidence(TomlReader& reader, Rule& rule);
  void read_condition(TomlReader& reader, Rule& rule);
  void read_threshold(TomlReader& reader, Rule& rule);
  void read_growth(TomlReader& reader, Rule& rule);
  void read_hold(TomlReader& reader, Rule& rule);
  void read_repair(TomlReader& reader, Rule& rule);
  void read_conclusion(TomlReader& reader, Rule& rule);
  void read_fru(TomlReader& reader, Rule& rule, const std::string& file);
  void read_retire(TomlReader& reader, Rule& rule, const std::string& file);
  std::vector<std::string> classes(TomlReader& reader, std::string_view key);
  std::vector<std::pair<std::string, std::vector<Value>>> conditions(TomlReader& reader,
                                                                     std::string_view key,
                                                                     const Rule& rule);
  void check_member(TomlReader& reader, const TomlNode& node, const std::string& member,
                    const std::vector<Value>& values, const Rule& rule);

  void add_fault(const TomlNode& node, const std::string& file);
  void check_texts(TomlReader& reader, const Message& message);
  void check_across();

  struct Place {
    std::string file;
    int line = 0;
  };
  const EventSchema& schema_;
  std::shared_ptr<RuleSet> set_ = std::make_shared<RuleSet>();
  std::vector<Error> errors_;
  std::vector<std::string> files_;            // in reading order, for the order of errors
  std::map<std::string, std::string> codes_;  // msg-id → fault class
  std::map<std::string, Place> fault_of_, wait_unless_of_;  // rule name → where it says so
};

}  // namespace fmd
