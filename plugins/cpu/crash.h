// Crashes: the machine checks that stopped the machine in an earlier boot, from the records kept by
// the firmware (ERST, EFI variables) or in reserved memory. systemd-pstore moves these files away
// from /sys/fs/pstore. Text and binary records; accepts any bytes.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "plugins/cpu/mca.h"
#include "plugins/sdk/host.h"

namespace fmd::cpu {

// Reads "mce: [Hardware Error]: CPU 1: Machine Check Exception: 5 Bank 3: b2…" and the lines after
// it (arch/x86/kernel/cpu/mce/core.c, __print_mce()). Only fatal ones.
std::vector<MceRecord> fatal_in_log(std::string_view text);
// Reads struct mce of arch/x86/include/uapi/asm/mce.h, as drivers/acpi/apei/erst.c stores it.
std::vector<MceRecord> fatal_in_record(std::string_view bytes);

// All stored crashes without duplicates, oldest first.
std::vector<MceRecord> kept_crashes(const sdk::Host& host);
std::string crash_id(const MceRecord& record);

}  // namespace fmd::cpu
