// The whole machine in one look. Blocks where the kernel does: run it apart.
#pragma once
#include "plugins/sdk/host.h"
#include "plugins/system/facts.h"
#include "plugins/system/pci.h"
#include "plugins/system/printed.h"

namespace fmd::machine {

// Whatever the machine does not have is simply absent. descriptions: its chassis'.
Facts scan_machine(const sdk::Host& host, const NamePci& names, const Descriptions& descriptions);

}  // namespace fmd::machine
