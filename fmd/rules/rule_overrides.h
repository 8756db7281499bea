// [[override]]: values of a rule or a fault of another file, changed by an administrator without a copy of that file:
//
//   [[override]]
//   rule = "zfs-checksum"     # or fault = "fault.fs.zfs.vdev.checksum"
//   count = 5
//
//   [[override]]
//   rule = "zfs-slow"
//   enabled = false           # a rule is switched off
//
// The values are put into the tables before these are read, so they are checked like any other. Of two for the same value
// the later file's counts. Private to rules_*.cpp.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/base/toml.h"
#include "fmd/rules/rules.h"

namespace fmd {

// A [[rule]] or [[fault]] with its overrides in it.
struct OverriddenTable {
  TomlNode table;
  bool enabled = true;
  std::vector<EffectiveValue> values;  // all values of the table; nested ones as "retire.to"
  std::string by;                      // "FILE:LINE" of each override; "" there is none

  // Errors of the table from this one on: of what an override has changed they name its file.
  void blame(std::vector<Error>& errors, size_t from) const;
  // The file of the override that sets the value; otherwise the table's own.
  std::string file_of(std::string_view key, const std::string& own) const;
};

class RuleOverrides {
 public:
  // Reads the "override" tables of a file.
  void read(const TomlNode& tables, const std::string& file, std::vector<Error>& errors);

  OverriddenTable apply(RuleTable kind, const std::string& name, const TomlNode& table,
                        const std::string& file);

  // An override of what there is not is an error.
  void check_used(RuleTable kind, const std::vector<std::string>& names,
                  std::vector<Error>& errors) const;

 private:
  struct Override {
    TomlNode changes;  // without the keys that say of what, and without "enabled"
    std::string file;
    int line = 0;
    std::optional<bool> enabled;
    bool used = false;
  };
  std::map<std::pair<RuleTable, std::string>, std::vector<Override>> all_;
};

}  // namespace fmd
