// The chassis descriptions on disk: the vendor's folder and the administrator's. Not on a simulated
// host's tree but fmd's own files. Several plugins describe parts of one machine by them.
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
