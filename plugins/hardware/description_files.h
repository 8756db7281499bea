// The chassis descriptions on disk: those shipped and the administrator's. Always fmd's own files,
// never a simulated host's. Shared by the plugins that describe parts of a machine.
#pragma once
#include <string>
#include <vector>

#include "fmd/base/source_file.h"

namespace fmd::hardware {

// *.toml of the folders, in name order; a file in a later folder replaces one of the same name. An
// unreadable file is returned as empty text, which is itself an error. A missing folder is empty.
std::vector<SourceFile> read_descriptions(const std::vector<std::string>& folders);
// Changes if any file changes.
std::string state_of_descriptions(const std::vector<std::string>& folders);

}  // namespace fmd::hardware
