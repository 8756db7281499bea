// PCI addresses as sysfs writes them: "0000:3b:00.0"; behind Intel's VMD the domain has more
// digits, "10000:e1:00.0".
#pragma once
#include <string>
#include <string_view>

namespace fmd::hardware {

bool is_pci_address(std::string_view name);
// The last PCI address in a path below /sys/devices, which the rest belongs to. "" none.
std::string pci_address_in(std::string_view path);

}  // namespace fmd::hardware
