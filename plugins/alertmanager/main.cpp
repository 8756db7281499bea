#include "plugins/alertmanager/alertmanager_plugin.h"

namespace {

fmd::Result<std::shared_ptr<void>> make(fmd::sdk::Context& context) {
  auto options = fmd::alertmanager::Options::load(context.config_path);
  if (!options) return tl::unexpected(options.error());
  auto plugin = fmd::alertmanager::AlertmanagerPlugin::create(context, std::move(*options));
  if (!plugin) return tl::unexpected(plugin.error());
  return std::shared_ptr<void>(std::move(*plugin));
}

}  // namespace

int main(int argc, char** argv) {
  return fmd::sdk::plugin_main(argc, argv, "alertmanager",
                               "fmd's Alertmanager plugin: an alert for each open case", make);
}
