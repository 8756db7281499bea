// The machine that the store is about: its name in FMRIs, hc://system=<name> and
// hc://chassis=<name> (fmd/base/machine_id.h). If the name has changed since the store was written,
// the state is rewritten with the new name, and the old name in journal and readings is read as the
// new one. Rows: ("machine", "name") is the name, ("renamed", <old name>) a former one. Internal to
// the store.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/store/database.h"

namespace fmd::store {

class MachineNames {
 public:
  // What the database says. Nothing is written.
  static Result<MachineNames> load(const Database& database);

  // To be run in a transaction: from now on the machine is called so.
  Result<void> name(const Database& database, const std::string& name);
  // Again, into a fresh file.
  Result<void> save(const Database& database) const;

  bool any() const { return !former_.empty(); }
  bool is_called(std::string_view name) const { return name == name_; }
  // text with the machine's present name for each former one.
  std::string present(std::string_view text) const;
  // The same FMRI as it was, by each name that the machine had; none that is not about the machine.
  std::vector<std::string> former(std::string_view fmri) const;

 private:
  std::string name_;
  std::vector<std::string> former_;
};

}  // namespace fmd::store
