// Reminders: repeats messages about unacknowledged cases, as the escalations in fmd.toml require.
// Rows "reminder" (uuid): the time of each last message. A change of a case only costs a check of
// that case; all are checked when the first reminder is due. Pure; single thread. Times are steady.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/moment.h"
#include "fmd/base/result.h"
#include "fmd/base/state_row.h"
#include "fmd/notify/preferences.h"

namespace fmd {

class Reminders {
 public:
  struct Due {
    std::string uuid;
    Target target;
  };
  using Cases = std::map<std::string, Case, std::less<>>;

  void set_escalations(std::vector<Escalation> escalations);
  static constexpr size_t kMostAtOnce = 200;  // as in Telling, for the same reason
  void case_changed(const std::string& uuid) { changed_.insert(uuid); }
  void look_at_all() { next_ns_ = 0; }  // also at cases under maintenance
  // Returns the messages to repeat now, and records them as sent. Stops at kMostAtOnce cases and is
  // then due again at once. held: skips cases under maintenance; call look_at_all() when that ends.
  std::vector<Due> due(const Cases& cases, const Inventory& inventory,
                       const std::function<bool(const Case&)>& held, Moment now);
  std::optional<int64_t> next_deadline_ns() const {
    return changed_.empty() ? next_ns_ : std::optional<int64_t>(0);
  }
  void forget_case(std::string_view uuid);

  std::vector<StateRow> take_changes();
  void mark_all_changed();
  Result<void> restore(const std::vector<StateRow>& rows);  // ignores rows of other kinds

 private:
  using Told = std::map<std::string, int64_t, std::less<>>;  // by escalation name

  void look(const Case& c, const Inventory& inventory, Moment now, std::vector<Due>& out);
  void put_row(const std::string& uuid);

  std::vector<Escalation> escalations_;
  std::map<std::string, Told, std::less<>> told_;
  std::vector<StateRow> changes_;
  std::set<std::string, std::less<>> changed_;
  std::optional<int64_t> next_ns_ =
      0;  // the first that is due; earlier, if its case has ended since
};

}  // namespace fmd
