// Reads rule and event class files, for the commands that need no daemon.
#pragma once
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/rules/rules.h"

namespace fmd::cli {

// In a folder, the *.toml files by name; a later folder's file replaces one of the same name. Files
// are used as they are. An error if a file cannot be read, or a named folder has none.
Result<std::vector<SourceFile>> read_toml(const std::vector<std::string>& paths);
Result<std::string> read_text(const std::string& path);

}  // namespace fmd::cli
