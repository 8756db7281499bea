// Secrets: a password or a token is the first line of a file that other users cannot read.
#pragma once
#include <string>

#include "fmd/base/result.h"

namespace fmd::sdk {

// An error if the file is unreadable, if other users can read or change it, or if its first line is
// empty or has control characters. Blocks like any file read.
Result<std::string> read_secret(const std::string& file);

}  // namespace fmd::sdk
