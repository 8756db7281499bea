// Hardware network interfaces: those with a device, by MAC address.
// Source: /sys/class/net.
#pragma once
#include "plugins/sdk/host.h"
#include "plugins/system/facts.h"

namespace fmd::machine {

// Adds `nic` resources, with a `path` from their PCI function. Call it after add_pci.
void add_nics(const sdk::Host& host, Facts& facts);

}  // namespace fmd::machine
