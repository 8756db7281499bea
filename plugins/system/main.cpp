#include "plugins/sdk/config.h"
#include "plugins/sdk/whole_file.h"
#include "plugins/system/system_plugin.h"

namespace {

fmd::Result<std::shared_ptr<void>> make(fmd::sdk::Context& context) {
  fmd::sdk::Config config(context.config_path);
  fmd::machine::Options options;
  options.rescan = config.duration("rescan", options.rescan);
  options.readings = config.duration("readings", options.readings);
  options.device_deadline = config.duration("device_deadline", options.device_deadline);
  options.descriptions = config.texts("descriptions", {FMD_CHASSIS_DIR, FMD_LOCAL_CHASSIS_DIR});
  options.state_file = fmd::sdk::state_file("system-memory.json");
  if (auto good = config.finish(); !good) return tl::unexpected(good.error());
  if (context.host.real()) options.names = fmd::machine::hardware_database();
  return std::make_shared<fmd::machine::SystemPlugin>(context.loop, context.host, context.socket,
                                                      options);
}

}  // namespace

int main(int argc, char** argv) {
  return fmd::sdk::plugin_main(
      argc, argv, "system",
      "fmd's system plugin: the machine itself, its processors, memory, controllers and sensors",
      make);
}
