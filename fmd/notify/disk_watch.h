// DiskWatch: finds inserted and removed disks. The first report of a source after a boot, or ever,
// is the initial state, and so is a disk that appears while the machine is still finding its disks.
// Changes while a plugin or fmd was down count. Rows "sight" ("source NAME"). Pure; single thread.
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
  static constexpr int64_t kStartingNs = 300LL * 1000000000;  // disks may be found for so long

  void begin(const Inventory& inventory);  // once, with what was known when fmd stopped
  void observe(const Sight& sight, const InventoryUpdate& update,
               const std::vector<InventoryChange>& changes, std::vector<Happening>& news);

  std::vector<StateRow> take_changes();
  void mark_all_changed();
  bool restore_row(const StateRow& row);  // false: it is none of ours

 private:
  bool knows_the_machine(std::string_view source, std::string_view boot_id) const;

  std::set<std::string, std::less<>> there_;                  // FMRIs
  std::map<std::string, std::string, std::less<>> whole_in_;  // source → boot in which it told all
  std::set<std::string, std::less<>> dirty_;
};

// What is known of the disk, and where it is or was.
void describe_disk(Happening& happening, const Resource& disk, const Inventory& inventory);

}  // namespace fmd
