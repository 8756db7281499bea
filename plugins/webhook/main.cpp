#include "plugins/webhook/webhook_plugin.h"

namespace {

fmd::Result<std::shared_ptr<void>> make(fmd::sdk::Context& context) {
  auto options = fmd::webhook::Options::load(context.config_path);
  if (!options) return tl::unexpected(options.error());
  auto plugin = fmd::webhook::WebhookPlugin::create(context, std::move(*options));
  if (!plugin) return tl::unexpected(plugin.error());
  return std::shared_ptr<void>(std::move(*plugin));
}

}  // namespace

int main(int argc, char** argv) {
  return fmd::sdk::plugin_main(argc, argv, "webhook",
                               "fmd's webhook plugin: gives faults to a program or a web server",
                               make);
}
