// DimmNames: the machine's memory modules by the names of SMBIOS, EDAC and the BMC's sensors.
// Shared by all plugins, so that their reports about one module have one FMRI. Source: SMBIOS type
// 17. Pure.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/hardware/smbios.h"
#include "plugins/sdk/host.h"

namespace fmd::hardware {

// The printed locator; if several modules share it, with the bank, otherwise with the handle.
std::vector<std::string> dimm_labels(const std::vector<MemoryModule>& modules);

class DimmNames {
 public:
  DimmNames() = default;
  explicit DimmNames(const std::vector<MemoryModule>& modules);
  static DimmNames of(const sdk::Host& host);  // needs root for /sys/firmware/dmi/tables/DMI
  // Adds a name for the module with that label; overrides guesses (used for chassis descriptions).
  void also(std::string_view name, std::string_view label);
  // The module with that name. Ignores case, blanks and punctuation, and words such as "ECC" or
  // "Status" after the name. "" if there is none or several.
  std::string fmri(std::string_view name) const;
  bool empty() const { return by_name_.empty(); }
  bool operator==(const DimmNames&) const = default;

 private:
  std::map<std::string, std::string> by_name_;  // plain name → FMRI; "" for several
};

}  // namespace fmd::hardware
