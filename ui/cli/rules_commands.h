// The commands of fmadm that work on files and need no daemon: rules show, rules check, rules
// upgrade, rules catalog, rules test, replay.
#pragma once
#include <string>
#include <vector>

#include "fmd/base/result.h"

namespace fmd::cli {

class Program;
void add_rules(Program& program);
void add_replay(Program& program);
void add_explain(Program& program);

struct RulesOptions {
  std::vector<std::string> paths;   // empty: the installed ones
  std::vector<std::string> events;  // the same
  std::string name;                 // a rule or fault, for rules_show; "": all
  std::string drive_stats;          // rules_test: CSV of a fleet's history; "-" standard input
  bool dry_run = false;             // rules_upgrade: writes nothing
  bool json = false;
};
Result<void> rules_show(const RulesOptions& options);
Result<void> rules_check(const RulesOptions& options);
Result<void> rules_upgrade(const RulesOptions& options);
Result<void> rules_catalog(const RulesOptions& options);
Result<void> rules_test(const RulesOptions& options);
Result<void> rules_test_drive_stats(const RulesOptions& options);

struct ExplainOptions {
  std::vector<std::string> ids;  // message ids, or classes that may end in '*'; empty: a list
  std::vector<std::string> rules, events;  // empty: the installed ones
  std::string pages;                       // folder for a page per message; "": print
  bool json = false;
};
Result<void> explain(const ExplainOptions& options);

struct ReplayOptions {
  std::string file;
  std::vector<std::string> rules, events;
  std::string run_out;  // a duration; "": 0
  bool verbose = false, why = false, json = false;
};
Result<void> replay(const ReplayOptions& options);

}  // namespace fmd::cli
