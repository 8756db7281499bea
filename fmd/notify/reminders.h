// Reminders: repeats messages about unacknowledged cases, as the escalations in fmd.toml say. Rows
// "reminder" (uuid): the time of each last message. Pure; single thread. Times are steady.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
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
  void cases_changed() { next_ns_ = 0; }
  // What is to be told again now; it counts as told. held: not now, since it is under maintenance.
  std::vector<Due> due(const Cases& cases, const Inventory& inventory,
                       const std::function<bool(const Case&)>& held, Moment now);
  std::optional<int64_t> next_deadline_ns() const { return next_ns_; }
  void forget_case(std::string_view uuid);

  std::vector<StateRow> take_changes();
  void mark_all_changed();
  Result<void> restore(const std::vector<StateRow>& rows);  // rows of other kinds are passed over

 private:
  using Told = std::map<std::string, int64_t, std::less<>>;  // by the escalation's name

  void look(const Case& c, const Inventory& inventory, Moment now, std::vector<Due>& out);
  void put_row(const std::string& uuid);

  std::vector<Escalation> escalations_;
  std::map<std::string, Told, std::less<>> told_;
  std::vector<StateRow> changes_;
  std::optional<int64_t> next_ns_ = 0;
};

}  // namespace fmd
