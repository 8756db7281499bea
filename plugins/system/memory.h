// Memory modules: what SMBIOS says is plugged in (locator, size, part number, serial), what EDAC
// counts (corrected and uncorrected errors), brought together by their labels.
// Sources: /sys/firmware/dmi/tables/DMI, /sys/devices/system/edac/mc.
#pragma once
#include "plugins/hardware/smbios.h"
#include "plugins/sdk/host.h"
#include "plugins/system/facts.h"
#include "plugins/system/printed.h"

namespace fmd::machine {

// Adds `dimm` resources (mem://dimm=LABEL); what EDAC counts and no module's label matches is
// `edac-dimm` (mem://mc=0/dimm=3) beside them, or the `dimm` itself when SMBIOS names none.
void add_memory(const sdk::Host& host, const hardware::Smbios& smbios,
                const Descriptions& descriptions, Facts& facts);

}  // namespace fmd::machine
