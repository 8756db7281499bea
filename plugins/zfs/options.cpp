#include "plugins/zfs/options.h"

#include "plugins/sdk/config.h"
#include "plugins/sdk/whole_file.h"

namespace fmd::zfs {

Result<Options> load_options(const std::string& file) {
  Options options;
  sdk::Config config(file);
  const std::string act = config.text("act", "always");
  if (act == "unless-zed")
    options.act = Options::Act::unless_zed;
  else if (act == "never")
    options.act = Options::Act::never;
  else if (act != "always")
    config.wrong("act", "must be \"always\", \"unless-zed\" or \"never\"");
  options.poll = config.duration("poll", options.poll);
  options.poll_busy = config.duration("poll_busy", options.poll_busy);
  options.zpool_deadline = config.duration("zpool_deadline", options.zpool_deadline);
  options.latency = config.boolean("latency", options.latency);
  options.latency_every = config.duration("latency_every", options.latency_every);
  options.retire_only_with_spare = config.boolean("retire_only_with_spare", false);
  for (std::string& pool : config.texts("no_spare", {})) options.no_spare.insert(std::move(pool));
  const std::string order = config.text("spare_order", "distributed-first");
  if (order == "disks-first")
    options.spare_order = SpareOrder::disks_first;
  else if (order != "distributed-first")
    config.wrong("spare_order", "must be \"distributed-first\" or \"disks-first\"");
  if (auto good = config.finish(); !good) return tl::unexpected(good.error());
  options.state_file = sdk::state_file("zfs-memory.json");
  return options;
}

}  // namespace fmd::zfs
