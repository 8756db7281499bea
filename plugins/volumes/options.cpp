#include "plugins/volumes/options.h"

#include "plugins/sdk/config.h"
#include "plugins/sdk/whole_file.h"

namespace fmd::volumes {

Result<Options> load_options(const std::string& file) {
  Options options;
  sdk::Config config(file);
  options.rescan = config.duration("rescan", options.rescan);
  options.rescan_busy = config.duration("rescan_busy", options.rescan_busy);
  options.scan_deadline = config.duration("scan_deadline", options.scan_deadline);
  options.act = config.boolean("act", options.act);
  if (auto good = config.finish(); !good) return tl::unexpected(good.error());
  options.state_file = sdk::state_file("volumes-memory.json");
  return options;
}

}  // namespace fmd::volumes
