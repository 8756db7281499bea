// Network interfaces that are hardware: those with a device behind them, by MAC address.
// Source: /sys/class/net.
#pragma once
#include "plugins/sdk/host.h"
#include "plugins/system/facts.h"

namespace fmd::machine {

// After add_pci: `nic` resources, `path` from their PCI function.
void add_nics(const sdk::Host& host, Facts& facts);

}  // namespace fmd::machine
