// PathMemory: the last known path to each part, from the inventory's `path` edges (HBA → expander →
// phy → disk). A disk that has dropped off its bus has no path, just when its link's errors are
// evaluated. Stored as rows, so that a restart during an outage does not lose the paths of absent
// disks.
//
// Rows: "path" (FMRI of the part). Pure, single thread; part of Engine.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/base/state_row.h"
#include "fmd/base/text_hash.h"
#include "fmd/model/inventory.h"

namespace fmd {

class PathMemory {
 public:
  // After the inventory took in these changes.
  void observe(const Inventory& inventory, const std::vector<InventoryChange>& changes);
  void observe(const Inventory& inventory, const Resource& leading);
  // FMRIs of what led to it directly, sorted; they may be gone as well.
  const std::vector<std::string>& to(std::string_view part) const;
  // FMRIs of its present or last direct successors, which may be gone as well.
  const std::set<std::string>& from(std::string_view leading) const;

  uint64_t changes() const { return changes_; }  // grows with each

  void take_changes(std::vector<StateRow>& rows);
  void mark_all_changed();
  Result<void> restore(const StateRow& row);  // before anything is observed

 private:
  void learn(const std::string& part, std::vector<std::string> leading);

  std::unordered_map<std::string, std::vector<std::string>, TextHash, std::equal_to<>> last_;
  std::unordered_map<std::string, std::set<std::string>, TextHash, std::equal_to<>> leads_;
  std::set<std::string> dirty_;
  uint64_t changes_ = 0;
};

}  // namespace fmd
