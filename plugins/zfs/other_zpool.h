// A `zpool import` of another program. While it loads a pool, often for minutes, the kernel holds
// spa_namespace_lock and every other zpool(8) waits, about whichever pool it asks.
#pragma once
#include <string>

#include "plugins/sdk/host.h"

namespace fmd::zfs {

// The process id of one that runs; "" if none does. Reads /proc.
std::string running_import(const sdk::Host& host);

}  // namespace fmd::zfs
