#include "plugins/enclosure/enclosure_plugin.h"
#include "plugins/sdk/config.h"
#include "plugins/sdk/whole_file.h"

namespace {

fmd::Result<std::shared_ptr<void>> make(fmd::sdk::Context& context) {
  fmd::sdk::Config config(context.config_path);
  fmd::enclosure::Options options;
  options.rescan = config.duration("rescan", options.rescan);
  options.device_deadline = config.duration("device_deadline", options.device_deadline);
  options.components = config.duration("components", options.components);
  options.descriptions = config.texts("descriptions", {FMD_CHASSIS_DIR, FMD_LOCAL_CHASSIS_DIR});
  options.state_file = fmd::sdk::state_file("enclosure-memory.json");
  if (auto good = config.finish(); !good) return tl::unexpected(good.error());
  return std::make_shared<fmd::enclosure::EnclosurePlugin>(context.loop, context.host,
                                                           context.socket, options);
}

}  // namespace

int main(int argc, char** argv) {
  return fmd::sdk::plugin_main(argc, argv, "enclosure",
                               "fmd's enclosure plugin: chassis, bays and their LEDs", make);
}
