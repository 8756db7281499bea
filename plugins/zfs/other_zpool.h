// Detects a `zpool import` of another program. While it loads a pool, often for minutes, it holds the
// kernel's spa_namespace_lock, and every other zpool(8) command waits, whichever pool it is about.
#pragma once
#include <string>

#include "plugins/sdk/host.h"

namespace fmd::zfs {

// The process id of a running `zpool import`, read from /proc; "" if there is none.
std::string running_import(const sdk::Host& host);

}  // namespace fmd::zfs
