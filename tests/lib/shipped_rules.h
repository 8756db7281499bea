// The rules and event classes that fmd ships, from the source tree: what is played, measured and fuzzed is the real policy.
// What is wrong with them is thrown, as std::runtime_error.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "fmd/base/source_file.h"
#include "fmd/model/event_schema.h"
#include "fmd/rules/rules.h"

namespace fmd {

// All of the folders' *.toml files but that one, by name.
std::vector<SourceFile> toml_files(const std::vector<std::string>& folders,
                                   const std::string& but = "");
// The folder of rules for several sources, and each plugin's own folder.
std::vector<std::string> shipped_rule_folders();
std::vector<std::string> shipped_event_folders();
const EventSchema& shipped_schema();
// Each thread has its own and reads it once.
std::shared_ptr<const RuleSet> shipped_rules(const std::string& but = "");

}  // namespace fmd
