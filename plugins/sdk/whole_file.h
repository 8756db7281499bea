// Files that hold a plugin's memory: written anew beside the old one and put in its place, so that a
// crash leaves one or the other.
#pragma once
#include <string>

#include "fmd/base/result.h"

namespace fmd::sdk {

Result<void> write_whole(const std::string& file, const std::string& text);

}  // namespace fmd::sdk
