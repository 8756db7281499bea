#include "plugins/ipmi/ipmi_plugin.h"

namespace {

fmd::Result<std::shared_ptr<void>> make(fmd::sdk::Context& context) {
  auto options = fmd::ipmi::load_options(context.config_path);
  if (!options) return tl::unexpected(options.error());
  return std::make_shared<fmd::ipmi::IpmiPlugin>(context.loop, context.host, context.socket,
                                                 std::move(*options));
}

}  // namespace

int main(int argc, char** argv) {
  return fmd::sdk::plugin_main(argc, argv, "ipmi",
                               "fmd's IPMI plugin: what the machine's BMC says of it", make);
}
