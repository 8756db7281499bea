// Rules and event classes from files, for the commands that need no daemon.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "fmd/rules/rules.h"

namespace fmd::cli {

struct LoadedRules {
  std::shared_ptr<const RuleSet> rules;  // nullptr when there are errors
  EventSchema schema;
  std::vector<Error> errors;
  std::vector<std::string> files;  // rule files read
  std::vector<EffectiveTable> tables;
};

// Empty lists stand for the installed folders. paths and events: see read_toml.
LoadedRules load_rules(const std::vector<std::string>& paths,
                       const std::vector<std::string>& events);
// Each error on standard error; then one that counts them, to be returned.
Error say_errors(const std::vector<Error>& errors);

}  // namespace fmd::cli
