// Maintenance: windows during which people work on the host or a part of it. Messages about that
// part wait; problems that still exist at the end are reported then. A window ends by the wall
// clock, since the machine may be off meanwhile. Rows "maintenance" (id). Pure; single thread.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/moment.h"
#include "fmd/base/result.h"
#include "fmd/base/state_row.h"
#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd {

struct MaintenanceWindow {
  std::string id;     // "3"
  std::string scope;  // FMRI of a part, including all parts in or on it; "": the host
  std::string name;   // the part as the administrator named it; "": the host
  int64_t from_ns = 0, until_ns = 0;  // wall
  std::string reason, who;

  bool runs(int64_t wall_ns) const { return from_ns <= wall_ns && wall_ns < until_ns; }
  std::string words() const;  // "maintenance of SLOT 04 (new backplane) until Nov 22 22:10:00"
};

class Maintenance {
 public:
  static constexpr int64_t kLongestNs = 31LL * 86400 * 1000000000;  // forgotten windows hide faults
  static constexpr size_t kMost = 1000;

  // Assigns the window's id. Errors: already over, longer than kLongestNs, no reason given.
  Result<std::string> add(MaintenanceWindow window, int64_t wall_ns);
  Result<MaintenanceWindow> end(std::string_view id);
  // Removes and returns windows that are over.
  std::vector<MaintenanceWindow> on_time(int64_t wall_ns);
  // The window that covers every faulty suspect of the case, or nullptr.
  const MaintenanceWindow* covering(const Case& c, const Inventory& inventory,
                                    int64_t wall_ns) const;
  // The window that covers a part with any of these FMRIs, or nullptr.
  const MaintenanceWindow* covering(const std::vector<std::string>& part,
                                    const Inventory& inventory, int64_t wall_ns) const;
  std::optional<int64_t> next_change_ns(Moment now) const;  // steady

  nlohmann::json list(int64_t wall_ns) const;  // ListMaintenance
  std::vector<StateRow> take_changes();
  void mark_all_changed();
  Result<void> restore(const std::vector<StateRow>& rows);  // ignores rows of other kinds

 private:
  std::map<uint64_t, MaintenanceWindow> windows_;
  std::vector<StateRow> changes_;
  uint64_t next_id_ = 1;
};

}  // namespace fmd
