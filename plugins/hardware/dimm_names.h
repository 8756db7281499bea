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

// The locator as printed; with its bank, then with its handle, where firmware calls several alike.
std::vector<std::string> dimm_labels(const std::vector<MemoryModule>& modules);

class DimmNames {
 public:
  DimmNames() = default;
  explicit DimmNames(const std::vector<MemoryModule>& modules);
  static DimmNames of(
      const sdk::Host& host);  // /sys/firmware/dmi/tables/DMI, which root alone may read
  // name: of the module with that label, too, before all guesses (a chassis description's word).
  void also(std::string_view name, std::string_view label);
  // The module that is called so; letter case, blanks and punctuation do not count, nor does a word such
  // as "ECC" or "Status" behind the name. "" when none is, or several are.
  std::string fmri(std::string_view name) const;
  bool empty() const { return by_name_.empty(); }
  bool operator==(const DimmNames&) const = default;

 private:
  std::map<std::string, std::string> by_name_;  // plain name → FMRI; "" for several
};

}  // namespace fmd::hardware
