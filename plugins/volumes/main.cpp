// fmd-volumes: storage made of several disks without ZFS: md, multipath, LVM, btrfs.
#include "plugins/volumes/volumes_plugin.h"

namespace {

fmd::Result<std::shared_ptr<void>> make(fmd::sdk::Context& context) {
  auto options = fmd::volumes::load_options(context.config_path);
  if (!options) return tl::unexpected(options.error());
  return std::make_shared<fmd::volumes::VolumesPlugin>(context.loop, context.host, context.socket,
                                                       *options);
}

}  // namespace

int main(int argc, char** argv) {
  return fmd::sdk::plugin_main(
      argc, argv, "volumes",
      "fmd's volumes plugin: md arrays, multipath maps, LVM volumes and btrfs", make);
}
