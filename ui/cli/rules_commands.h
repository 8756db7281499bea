// The commands of fmadm that work on files and need no daemon: rules check.
#pragma once
#include <string>
#include <vector>

#include "fmd/core/result.h"

namespace fmd::cli {

struct RulesOptions {
  std::vector<std::string> paths;   // empty: the installed ones
  std::vector<std::string> events;  // alike
  bool json = false;
};
Result<void> rules_check(const RulesOptions& options);

}  // namespace fmd::cli
