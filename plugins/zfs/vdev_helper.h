// Command line of fmd-zfs-vdev, our helper for operations that zpool(8) lacks.
#pragma once
#include <string>
#include <vector>

#include "plugins/sdk/host.h"

namespace fmd::zfs {

inline constexpr char kVdevHelper[] = "fmd-zfs-vdev";

// Replaces the helper's name by its installed path, unless a tool of that name is found (such as
// the simulator's stand-in). Other commands stay unchanged.
std::vector<std::string> with_helper(const sdk::Host& host, std::vector<std::string> argv);

}  // namespace fmd::zfs
