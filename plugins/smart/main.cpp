#include "plugins/smart/options.h"
#include "plugins/smart/smart_plugin.h"

namespace {

fmd::Result<std::shared_ptr<void>> make(fmd::sdk::Context& context) {
  auto options = fmd::smart::load_options(context.config_path);
  if (!options) return tl::unexpected(options.error());
  return std::make_shared<fmd::smart::SmartPlugin>(context.loop, context.host, context.socket,
                                                   std::move(*options));
}

}  // namespace

int main(int argc, char** argv) {
  return fmd::sdk::plugin_main(argc, argv, "smart",
                               "fmd's SMART plugin: what disks say of themselves", make);
}
