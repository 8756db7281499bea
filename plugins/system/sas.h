// The SAS fabric: HBA → phy → (expander → phy →) disk, with the phys' link rates and their error
// counters as gauges. Sources: /sys/class/sas_host, sas_phy, sas_device, sas_expander.
#pragma once
#include "plugins/sdk/host.h"
#include "plugins/system/facts.h"

namespace fmd::machine {

// Call it after add_pci: HBAs are PCI functions.
void add_sas(const sdk::Host& host, Facts& facts);

}  // namespace fmd::machine
