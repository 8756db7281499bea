// Rule and event class files from disk, for the commands that need no daemon.
#pragma once
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/rules/rules.h"

namespace fmd::cli {

// Folders give their *.toml in name order, a later folder's file replaces one of the same name;
// files are taken as they are. An error when one cannot be read, or a folder named holds none.
Result<std::vector<SourceFile>> read_toml(const std::vector<std::string>& paths);
Result<std::string> read_text(const std::string& path);

}  // namespace fmd::cli
