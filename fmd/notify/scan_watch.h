// ScanWatch: finds pools and md arrays whose resilver begins, and whose resilver or scrub has
// ended. It stores how each one's last scan ended, since a restarted plugin may not know that for a
// while, and a scan that ended meanwhile must still be reported. The first view of a pool is its
// initial state. Rows "sight" ("scan FMRI"). Pure; single thread.
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

class ScanWatch {
 public:
  void begin(const Inventory& inventory);  // once, after restore()
  void observe(const Sight& sight, const std::vector<InventoryChange>& changes,
               std::vector<Happening>& news);

  std::vector<StateRow> take_changes();
  void mark_all_changed();
  bool restore_row(const StateRow& row);  // false: a row of another kind

 private:
  struct Scan {
    std::string ended;     // how the last scan ended, including its time; "": unknown
    std::string resilver;  // identifies the running resilver; "": none
    bool operator==(const Scan&) const = default;
  };
  static Scan now_of(const Resource& pool);

  std::map<std::string, Scan, std::less<>> scans_;  // by FMRI
  std::set<std::string, std::less<>> dirty_;
};

// Whether a scrub that ended in these words found errors, repaired or not.
bool scrub_found_errors(std::string_view ended);

}  // namespace fmd
