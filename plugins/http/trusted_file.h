// Checks that only root can have created or changed a program or secret. Source: stat(2).
#pragma once
#include <string>

#include "fmd/base/result.h"

namespace fmd::http {

// An error unless the path is absolute and without links, and the file and all its folders are
// root's and writable by no other user. runnable: must be an executable regular file.
Result<void> check_trusted(const std::string& path, bool runnable);

}  // namespace fmd::http
