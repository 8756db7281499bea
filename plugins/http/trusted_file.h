// What may be run, or is a secret: a file that nobody but root can have put there or changed. Source: stat(2).
#pragma once
#include <string>

#include "fmd/base/result.h"

namespace fmd::http {

// An absolute path without links in it, each folder and the file root's and writable by nobody else.
// runnable: a regular file that may be executed.
Result<void> check_trusted(const std::string& path, bool runnable);

}  // namespace fmd::http
