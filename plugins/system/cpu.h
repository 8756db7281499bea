// Processors: sockets (the replaceable parts), their cores and threads, and the caches.
// Sources: /sys/devices/system/cpu, /proc/cpuinfo, SMBIOS.
#pragma once
#include "plugins/hardware/smbios.h"
#include "plugins/sdk/host.h"
#include "plugins/system/facts.h"

namespace fmd::machine {

void add_cpus(const sdk::Host& host, const hardware::Smbios& smbios, Facts& facts);

}  // namespace fmd::machine
