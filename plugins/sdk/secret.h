// Secrets: a password or a token is the first line of a file that other users cannot read.
#pragma once
#include <string>

#include "fmd/base/result.h"

namespace fmd::sdk {

// An error if the file cannot be read, if other users can read or change it, or if its first line is empty or
// has control characters. Blocks as any read of a file does.
Result<std::string> read_secret(const std::string& file);

}  // namespace fmd::sdk
