// The machine's name in FMRIs, hc://system=<id> and hc://chassis=<id>, which everybody may see. It is
// not what the firmware calls the machine: DMI's UUID and serial numbers are root's to read, and a
// hash of a serial number of seven characters would give it away. It comes from systemd's machine-id as
// `systemd-id128 machine-id --app-specific=…` makes it: the same at each boot, over a change of the
// board too, and nobody finds the machine-id from it. Pure.
#pragma once
#include <string>
#include <string_view>

namespace fmd {

// content: of /etc/machine-id. "host" when that is none.
std::string machine_name(std::string_view content);

}  // namespace fmd
