// The machine's name in FMRIs: hc://system=<id>, and hc://chassis=<id> for its own box. Shared by
// all plugins, so that their reports have the same FMRIs.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "plugins/sdk/host.h"

namespace fmd::hardware {

// What firmware writes where nobody filled in a value ("To be filled by O.E.M.", all zeros, …).
bool is_nobodys_text(std::string_view text);

// Everybody may know it (fmd/base/machine_id.h). Source: /etc/machine-id.
std::string system_id(const sdk::Host& host);

// DMI's product UUID in lower case, else its serial number, else "": what the machine was called by
// before, and what descriptions may still match. Source: /sys/class/dmi/id, which root alone may
// read whole.
std::string dmi_id(const sdk::Host& host);

// What the machine says of itself, by the keys that chassis descriptions match: "system_id", "dmi_id"
// (which a description's system_id may be, too), "dmi_vendor", "dmi_product", "dmi_serial"; all are
// always there, "" when unknown.
std::map<std::string, std::string> machine_facts(const sdk::Host& host);

}  // namespace fmd::hardware
