#include "plugins/disk/disk_plugin.h"
#include "plugins/sdk/config.h"

namespace {

fmd::Result<std::shared_ptr<void>> make(fmd::sdk::Context& context) {
  fmd::sdk::Config config(context.config_path);
  fmd::disk::Options options;
  options.rescan = config.duration("rescan", options.rescan);
  options.probe_deadline = config.duration("probe_deadline", options.probe_deadline);
  options.scan_deadline = config.duration("scan_deadline", options.scan_deadline);
  if (auto good = config.finish(); !good) return tl::unexpected(good.error());
  return std::make_shared<fmd::disk::DiskPlugin>(context.loop, context.host, context.socket,
                                                 options);
}

}  // namespace

int main(int argc, char** argv) {
  return fmd::sdk::plugin_main(argc, argv, "disk", "fmd's disk plugin: which disks there are",
                               make);
}
