// Reads sysfs: texts padded with blanks, numbers in decimal or hex, and device paths, which show
// the devices above. All through Host.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/hardware/pci_address.h"
#include "plugins/sdk/host.h"

namespace fmd::machine {

// Trimmed; "" if it cannot be read.
std::string read_text(const sdk::Host& host, const std::string& file);
// Decimal, or hex with 0x; trimmed. Empty if it is not a 64-bit integer.
std::optional<int64_t> number_of(std::string_view text);
std::optional<int64_t> read_number(const sdk::Host& host, const std::string& file);
// Names in a folder; none if it does not exist.
std::vector<std::string> names_in(const sdk::Host& host, const std::string& folder);

std::string_view parent_path(std::string_view path);  // "/a/b" of "/a/b/c"
std::string_view last_name(std::string_view path);    // "c" of "/a/b/c"

using hardware::is_pci_address;
// The nearest PCI function at or above a device's real path; "" if there is none.
inline std::string nearest_pci(std::string_view real_path) {
  return hardware::pci_address_in(real_path);
}
std::string pci_fmri(const std::string& address);

// "5000c500a0000003" of "0x5000c500a0000003"; "" for an unset address (all zeros).
std::string sas_address(std::string_view text);

}  // namespace fmd::machine
