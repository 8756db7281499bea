// MachineNames: the machine's name in FMRIs, hc://system=<name> and hc://chassis=<name>
// (fmd/base/machine_id.h). If it has changed since the store was written, the state is rewritten
// with the new name; the old name in journal and readings is read as the new one. Rows: ("machine",
// "name") is the name, ("renamed", <old name>) a former one. Internal to the store.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/store/database.h"

namespace fmd::store {

class MachineNames {
 public:
  // Reads the names; writes nothing.
  static Result<MachineNames> load(const Database& database);

  // Sets the machine's name. Run in a transaction.
  Result<void> name(const Database& database, const std::string& name);
  // Writes the names into a fresh file.
  Result<void> save(const Database& database) const;

  bool any() const { return !former_.empty(); }
  bool is_called(std::string_view name) const { return name == name_; }
  // The text with former names replaced by the present one.
  std::string present(std::string_view text) const;
  // The FMRI under each former name of the machine; none if it is not about the machine.
  std::vector<std::string> former(std::string_view fmri) const;

 private:
  std::string name_;
  std::vector<std::string> former_;
};

}  // namespace fmd::store
