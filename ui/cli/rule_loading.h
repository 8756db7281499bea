// Loads rules and event classes from files, for the commands that need no daemon.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "fmd/rules/rules.h"

namespace fmd::cli {

struct LoadedRules {
  std::shared_ptr<const RuleSet> rules;  // nullptr if there are errors
  EventSchema schema;
  std::vector<Error> errors;
  std::vector<std::string> files;  // rule files read
  std::vector<EffectiveTable> tables;
};

// Empty lists mean the installed folders. paths and events: see read_toml.
LoadedRules load_rules(const std::vector<std::string>& paths,
                       const std::vector<std::string>& events);
// Prints each error to standard error; returns one with their number.
Error say_errors(const std::vector<Error>& errors);

}  // namespace fmd::cli
