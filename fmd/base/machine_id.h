// The machine's name in FMRIs, hc://system=<id> and hc://chassis=<id>, which all users may see.
// Derived from systemd's machine-id, like `systemd-id128 machine-id --app-specific=…`: survives
// reboots and board changes, and does not reveal the machine-id. DMI's UUID and serial numbers are
// unsuitable: only root may read them, and a hash of a short serial number would reveal it. Pure.
#pragma once
#include <string>
#include <string_view>

namespace fmd {

// content: of /etc/machine-id. Returns "host" if that is not a valid id.
std::string machine_name(std::string_view content);

}  // namespace fmd
