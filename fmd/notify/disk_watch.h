// DiskWatch: finds inserted and removed disks. A source's first report (ever, or after a boot) is
// the initial state, as are disks that appear while the machine is still finding its disks. Changes
// while a plugin or fmd was down count. Rows "sight" ("source NAME"). Pure; single thread.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/state_row.h"
#include "fmd/notify/happening.h"
#include "fmd/notify/sight.h"

namespace fmd {

class DiskWatch {
 public:
  static constexpr int64_t kStartingNs = 300LL * 1000000000;  // for finding all disks

  void begin(const Inventory& inventory);  // call once, with the inventory at fmd's last stop
  void observe(const Sight& sight, const InventoryUpdate& update,
               const std::vector<InventoryChange>& changes, std::vector<Happening>& news);

  std::vector<StateRow> take_changes();
  void mark_all_changed();
  bool restore_row(const StateRow& row);  // false: a row of another kind

 private:
  bool knows_the_machine(std::string_view source, std::string_view boot_id) const;

  std::set<std::string, std::less<>> there_;                  // FMRIs
  std::map<std::string, std::string, std::less<>> whole_in_;  // source → boot of its first report
  std::set<std::string, std::less<>> dirty_;
};

// Adds what is known about the disk, and its present or last place.
void describe_disk(Happening& happening, const Resource& disk, const Inventory& inventory);

}  // namespace fmd
