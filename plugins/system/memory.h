// Memory modules: combines SMBIOS (locator, size, part number, serial) with EDAC's counts of
// corrected and uncorrected errors, by label.
// Sources: /sys/firmware/dmi/tables/DMI, /sys/devices/system/edac/mc.
#pragma once
#include "plugins/hardware/smbios.h"
#include "plugins/sdk/host.h"
#include "plugins/system/facts.h"
#include "plugins/system/printed.h"

namespace fmd::machine {

// Adds `dimm` resources (mem://dimm=LABEL). EDAC entries without a matching module become
// `edac-dimm` (mem://mc=0/dimm=3), or `dimm` if SMBIOS lists no modules.
void add_memory(const sdk::Host& host, const hardware::Smbios& smbios,
                const Descriptions& descriptions, Facts& facts);

}  // namespace fmd::machine
