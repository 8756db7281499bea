// Writes a file that must not exist yet.
#pragma once
#include <string>

#include "fmd/base/result.h"

namespace fmd::cli {

Result<void> write_new_file(const std::string& path, const std::string& text);

}  // namespace fmd::cli
