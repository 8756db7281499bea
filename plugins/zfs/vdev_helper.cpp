#include "plugins/zfs/vdev_helper.h"

namespace fmd::zfs {

std::vector<std::string> with_helper(const sdk::Host& host, std::vector<std::string> argv) {
  if (argv.front() == kVdevHelper && !host.has_tool(kVdevHelper))
    argv.front() = std::string(FMD_LIBEXECDIR) + "/" + kVdevHelper;
  return argv;
}

}  // namespace fmd::zfs
