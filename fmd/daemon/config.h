// Config: /etc/fmd/fmd.toml, read strictly. An unknown section or key, a wrong type or an
// impossible value is an error with file, line and the nearest valid name; all errors are listed.
// data/fmd.toml.in shows every key.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/hub/grants.h"
#include "fmd/notify/preferences.h"
#include "fmd/reconcile/reconciler.h"
#include "fmd/store/compression.h"
#include "fmd/store/retention.h"

namespace fmd {

struct Config {
  std::string file;  // where it was read from, "" the built-in defaults

  // [daemon]
  std::string socket = "/run/fmd/plugins.sock";
  std::string state_dir = "/var/lib/fmd";
  std::vector<std::string> rules;   // folders, a later one's file replaces one of the same name
  std::vector<std::string> events;  // folders of event class declarations, alike
  std::string bus = "system";       // "system", "session", "none" or a D-Bus address
  std::string plugin_group = "fmd-plugins";

  ActionConfig action;  // [action]

  Preferences notify;  // [notify.NAME] or [[notify]], [[escalate]]

  PluginGrants plugins;  // [plugin.NAME]: names that are not root's alone

  Retention retention;  // [retention]

  Compression compression;  // [store]
};

// The folders of an installed fmd and the notifiers mail and snmp.
Config default_config();
// Errors non-empty ⇒ the configuration is not to be used.
std::pair<Config, std::vector<Error>> parse_config(std::string_view text, std::string_view file);
// A missing file is the defaults unless required; one that cannot be read is an error.
std::pair<Config, std::vector<Error>> load_config(const std::string& file, bool required);

}  // namespace fmd
