// Files with a plugin's state: written beside the old file and renamed, so that a crash leaves the
// old or the new one.
#pragma once
#include <optional>
#include <string>

#include "fmd/base/result.h"

namespace fmd::sdk {

// Nothing when there is no such file.
Result<std::optional<std::string>> read_whole(const std::string& file);
Result<void> write_whole(const std::string& file, const std::string& text);

// The folder systemd (StateDirectory=) or a script gives by $STATE_DIRECTORY; a file in it, "" when
// there is none.
Result<std::string> state_directory();
std::string state_file(const std::string& name);

}  // namespace fmd::sdk
