// Routing: which connected plugin gets a command. A command about a part goes to a plugin that has described the part
// (its LED, if it has one), not to whichever plugin declares the longest prefix: the plugin that acts on that part
// (owners.h), unless fmd.toml grants another one that described it a longer prefix by name. A target that is no known
// part ("outbox:mail") goes to the plugin with the longest granted prefix. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "fmd/hub/grants.h"
#include "fmd/hub/plugin_table.h"

namespace fmd {

struct Route {
  const PluginRecord* plugin = nullptr;  // valid until the table's next change
  std::string trouble;                   // without a plugin: why there is none
};

// described_by: the plugins that described the target (Inventory::described_by). command: "" any.
Route route_command(const PluginTable& table, const PluginGrants& grants,
                    const std::vector<std::string>& described_by, std::string_view target,
                    std::string_view command);

}  // namespace fmd
