// Machines as folder trees: recorded ones, and hand-made ones based on the kernel's documentation
// (fixtures/README.md).
#pragma once
#include <string>

#include "plugins/sdk/tests/support.h"

namespace fmd::machine::testing {

// Lines: "FILE<TAB>LINE OF IT" and "LINK -> TARGET".
void replay(const sdk::testing::TempTree& tree, const std::string& recording);
// An LSI 9300 in slot 4, its phy 0 on an expander, with a disk on the expander's phy 8.
void sas_machine(const sdk::testing::TempTree& tree);
// An AHCI controller with a disk; an NVMe namespace behind two controllers.
void sata_and_nvme(const sdk::testing::TempTree& tree);
// A Super-I/O chip, two memory sensors with the same name, and a disk's sensor.
void sensors(const sdk::testing::TempTree& tree);

}  // namespace fmd::machine::testing
