// Scans the whole machine. May block in the kernel: run it in a child.
#pragma once
#include "plugins/sdk/host.h"
#include "plugins/system/facts.h"
#include "plugins/system/pci.h"
#include "plugins/system/printed.h"

namespace fmd::machine {

// Parts that the machine does not have are absent. descriptions: of its chassis.
Facts scan_machine(const sdk::Host& host, const NamePci& names, const Descriptions& descriptions);

}  // namespace fmd::machine
