#include "plugins/cpu/cpu_plugin.h"

namespace {

fmd::Result<std::shared_ptr<void>> make(fmd::sdk::Context& context) {
  auto options = fmd::cpu::load_options(context.config_path);
  if (!options) return tl::unexpected(options.error());
  return std::make_shared<fmd::cpu::CpuPlugin>(context.loop, context.host, context.socket,
                                               *options);
}

}  // namespace

int main(int argc, char** argv) {
  return fmd::sdk::plugin_main(
      argc, argv, "cpu", "fmd's cpu plugin: errors of processors, memory and PCIe links", make);
}
