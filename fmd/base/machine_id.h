// The machine's name in FMRIs, hc://system=<id> and hc://chassis=<id>, which all users may see. It
// is derived from systemd's machine-id as by `systemd-id128 machine-id --app-specific=…`: it stays
// the same across reboots and board changes, and does not reveal the machine-id. It is not derived
// from DMI's UUID or serial numbers: only root may read those, and a hash of a seven-character
// serial number would reveal it. Pure.
#pragma once
#include <string>
#include <string_view>

namespace fmd {

// content: of /etc/machine-id. "host" when that is none.
std::string machine_name(std::string_view content);

}  // namespace fmd
