// Policy: event classes and diagnosis rules, read from their folders. If any file has an error,
// there is no policy at all.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/model/event_schema.h"
#include "fmd/rules/rules.h"

namespace fmd {

struct Policy {
  EventSchema schema;
  std::shared_ptr<const RuleSet> rules;
  std::vector<std::string> files;  // paths read
};

// *.toml of the folders in name order; a later folder's file replaces an earlier one's of the same
// name. The first folder must exist, the others may be missing.
std::pair<std::vector<SourceFile>, std::vector<Error>> read_folders(
    const std::vector<std::string>& folders);

std::pair<Policy, std::vector<Error>> load_policy(const std::vector<std::string>& event_folders,
                                                  const std::vector<std::string>& rule_folders);

}  // namespace fmd
