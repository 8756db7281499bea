// Files with a plugin's state: written to a new file and renamed, so that a crash leaves either the
// old or the new content.
#pragma once
#include <optional>
#include <string>

#include "fmd/base/result.h"

namespace fmd::sdk {

// Nothing if the file does not exist.
Result<std::optional<std::string>> read_whole(const std::string& file);
Result<void> write_whole(const std::string& file, const std::string& text);

// The state folder: $STATE_DIRECTORY, set by systemd (StateDirectory=) or a script; a file in it.
// "" if it is not set.
Result<std::string> state_directory();
std::string state_file(const std::string& name);

}  // namespace fmd::sdk
