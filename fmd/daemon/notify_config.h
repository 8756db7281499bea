// The part of fmd.toml about recipients: [notify.NAME] or [[notify]], [[escalate]].
#pragma once
#include <string>
#include <vector>

#include "fmd/base/toml.h"
#include "fmd/notify/preferences.h"

namespace fmd {

Preferences default_preferences();
void read_notify(TomlReader& top, const TomlNode& root, const std::string& file, Preferences& out,
                 std::vector<Error>& errors);

}  // namespace fmd
