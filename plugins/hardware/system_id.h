// The machine's id in FMRIs: hc://system=<id>, and hc://chassis=<id> for its own chassis. Shared by
// all plugins, so that their reports have the same FMRIs.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "plugins/sdk/host.h"

namespace fmd::hardware {

// Placeholder text of firmware ("To be filled by O.E.M.", all zeros, …).
bool is_nobodys_text(std::string_view text);

// Not confidential (fmd/base/machine_id.h). Source: /etc/machine-id.
std::string system_id(const sdk::Host& host);

// DMI's product UUID in lower case, otherwise its serial number, otherwise "". The machine's former
// id, which descriptions may still match. Source: /sys/class/dmi/id, which only root can read
// completely.
std::string dmi_id(const sdk::Host& host);

// The machine's values for the keys that chassis descriptions match: "system_id", "dmi_id" (also
// matched by a description's system_id), "dmi_vendor", "dmi_product", "dmi_serial". All are always
// present, "" if unknown.
std::map<std::string, std::string> machine_facts(const sdk::Host& host);

}  // namespace fmd::hardware
