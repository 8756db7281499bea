// Reading sysfs as it is: texts padded with blanks, numbers in decimal or hex, folders whose path
// tells what is above a device. All through Host.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/hardware/pci_address.h"
#include "plugins/sdk/host.h"

namespace fmd::machine {

// Without the blanks around it; "" when it cannot be read.
std::string read_text(const sdk::Host& host, const std::string& file);
// Decimal, or hex with 0x, with blanks around it; nothing when it is no whole number of 64 bits.
std::optional<int64_t> number_of(std::string_view text);
std::optional<int64_t> read_number(const sdk::Host& host, const std::string& file);
// Names in a folder; none when there is no such folder.
std::vector<std::string> names_in(const sdk::Host& host, const std::string& folder);

std::string_view parent_path(std::string_view path);  // "/a/b" of "/a/b/c"
std::string_view last_name(std::string_view path);    // "c" of "/a/b/c"

using hardware::is_pci_address;
// The PCI function that is nearest above (or at) a device's real path; "" when there is none.
inline std::string nearest_pci(std::string_view real_path) {
  return hardware::pci_address_in(real_path);
}
std::string pci_fmri(const std::string& address);

// "5000c500a0000003" of "0x5000c500a0000003"; "" for one that is nobody's (all zeros).
std::string sas_address(std::string_view text);

}  // namespace fmd::machine
