// HappeningWatch: finds happenings by comparing the inventory with its previous state. Both are
// written in one transaction, so changes across a restart of fmd are found exactly once. Rows
// "sight". Pure; single thread.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/notify/disk_watch.h"
#include "fmd/notify/scan_watch.h"

namespace fmd {

class HappeningWatch {
 public:
  void begin(const Inventory& inventory);  // once, after restore()
  // Call after inventory and bay history have taken the update. The happenings have no uuid yet.
  std::vector<Happening> observe(const Sight& sight, const InventoryUpdate& update,
                                 const std::vector<InventoryChange>& changes);

  std::vector<StateRow> take_changes();
  void mark_all_changed();
  void restore(const std::vector<StateRow>& rows);  // ignores rows of other kinds

 private:
  void look(const Resource& part, const Sight* sight, std::vector<Happening>& news);
  void look_at_spare(const Resource& vdev, const Sight* sight, std::vector<Happening>& news);
  void look_at_plugin(const Resource& plugin, const Sight* sight, std::vector<Happening>& news);
  void look_at_lights(const Resource& bay, const Sight* sight, std::vector<Happening>& news);

  DiskWatch disks_;
  ScanWatch scans_;
  std::map<std::string, std::string, std::less<>>
      spares_;                                 // vdev → FMRI of its spare in use, or ""
  std::set<std::string, std::less<>> silent_;  // plugins
  std::set<std::string, std::less<>> dark_;    // bays with an LED that cannot be driven
};

// Whether the happening's state persists; always true for ended processes.
bool still_so(const Happening& happening, const Inventory& inventory);

}  // namespace fmd
