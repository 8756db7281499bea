#include "plugins/redfish/redfish_plugin.h"

namespace {

fmd::Result<std::shared_ptr<void>> make(fmd::sdk::Context& context) {
  auto options = fmd::redfish::load_options(context.config_path);
  if (!options) return tl::unexpected(options.error());
  return std::make_shared<fmd::redfish::RedfishPlugin>(context.loop, context.host, context.socket,
                                                       std::move(*options));
}

}  // namespace

int main(int argc, char** argv) {
  return fmd::sdk::plugin_main(argc, argv, "redfish",
                               "fmd's Redfish plugin: what the machine's BMC says of it", make);
}
