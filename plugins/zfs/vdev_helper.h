// fmd-zfs-vdev, our own helper for what zpool(8) has no command for: its command line.
#pragma once
#include <string>
#include <vector>

#include "plugins/sdk/host.h"

namespace fmd::zfs {

inline constexpr char kVdevHelper[] = "fmd-zfs-vdev";

// The same command with the helper where it is installed, unless a tool of that name comes first (the simulator puts its
// stand-in there). Commands of other programs stay as they are.
std::vector<std::string> with_helper(const sdk::Host& host, std::vector<std::string> argv);

}  // namespace fmd::zfs
