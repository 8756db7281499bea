// The chassis descriptions on disk: the shipped folder and the administrator's. They are fmd's own
// files, not those of a simulated host. Shared by the plugins that describe parts of a machine.
#pragma once
#include <string>
#include <vector>

#include "fmd/base/source_file.h"

namespace fmd::hardware {

// *.toml of the folders, in name order; a later folder's file replaces one of the same name. One
// that cannot be read is empty, which is an error of its own. A folder that is not there holds
// none.
std::vector<SourceFile> read_descriptions(const std::vector<std::string>& folders);
// Changes when a file does.
std::string state_of_descriptions(const std::vector<std::string>& folders);

}  // namespace fmd::hardware
