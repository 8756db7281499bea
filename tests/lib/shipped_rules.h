// The shipped rules and event classes, from the source tree, so that tests, benchmarks and fuzzers
// use the real policy. Errors in them are thrown as std::runtime_error.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "fmd/base/source_file.h"
#include "fmd/model/event_schema.h"
#include "fmd/rules/rules.h"

namespace fmd {

// All *.toml files of the folders except `but`, sorted by name.
std::vector<SourceFile> toml_files(const std::vector<std::string>& folders,
                                   const std::string& but = "");
// The folder of rules shared by several sources, and each plugin's own folder.
std::vector<std::string> shipped_rule_folders();
std::vector<std::string> shipped_event_folders();
const EventSchema& shipped_schema();
// Loaded once per thread.
std::shared_ptr<const RuleSet> shipped_rules(const std::string& but = "");

}  // namespace fmd
