// Processors: sockets (what one exchanges), their cores and threads, and the caches.
// Sources: /sys/devices/system/cpu, /proc/cpuinfo.
#pragma once
#include "plugins/sdk/host.h"
#include "plugins/system/facts.h"

namespace fmd::machine {

void add_cpus(const sdk::Host& host, Facts& facts);

}  // namespace fmd::machine
