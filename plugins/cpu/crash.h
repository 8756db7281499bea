// Crashes: machine checks of an earlier boot that stopped the machine, out of what the firmware (ERST,
// EFI variables) or reserved memory kept of the kernel's last words. systemd-pstore moves those files
// away from /sys/fs/pstore. Text and binary records; any bytes may come.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "plugins/cpu/mca.h"
#include "plugins/sdk/host.h"

namespace fmd::cpu {

// "mce: [Hardware Error]: CPU 1: Machine Check Exception: 5 Bank 3: b2…" and the lines behind it
// (arch/x86/kernel/cpu/mce/core.c, __print_mce()). Only what stopped the machine.
std::vector<MceRecord> fatal_in_log(std::string_view text);
// struct mce of arch/x86/include/uapi/asm/mce.h, as drivers/acpi/apei/erst.c keeps it.
std::vector<MceRecord> fatal_in_record(std::string_view bytes);

// All that is kept, each once; oldest first.
std::vector<MceRecord> kept_crashes(const sdk::Host& host);
std::string crash_id(const MceRecord& record);

}  // namespace fmd::cpu
