#include "plugins/sample/sample_plugin.h"
#include "plugins/sdk/config.h"

namespace {

fmd::Result<std::shared_ptr<void>> make(fmd::sdk::Context& context) {
  fmd::sdk::Config config(context.config_path);
  fmd::sample::Options options;
  options.interval = config.duration("interval", options.interval);
  if (auto good = config.finish(); !good) return tl::unexpected(good.error());
  return std::make_shared<fmd::sample::SamplePlugin>(context.loop, context.host, context.socket,
                                                     options);
}

}  // namespace

int main(int argc, char** argv) {
  return fmd::sdk::plugin_main(argc, argv, "sample", "fmd's sample plugin: one device", make);
}
