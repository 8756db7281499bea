// fmd-snmp: sends notifications of faults to SNMP managers, and serves fmd's state as tables.
#include "plugins/snmp/snmp_plugin.h"

namespace {

fmd::Result<std::shared_ptr<void>> make(fmd::sdk::Context& context) {
  auto options = fmd::snmp::Options::load(context.config_path);
  if (!options) return tl::unexpected(options.error());
  auto plugin = fmd::snmp::SnmpPlugin::create(context, std::move(*options));
  if (!plugin) return tl::unexpected(plugin.error());
  return std::shared_ptr<void>(std::move(*plugin));
}

}  // namespace

int main(int argc, char** argv) {
  return fmd::sdk::plugin_main(argc, argv, "snmp",
                               "fmd's SNMP plugin: notifications, and tables for managers", make);
}
