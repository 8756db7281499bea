// Interventions: the table of fmd's actions in force. One entry per part and kind; rows
// "intervention" and "taken-over" (part). Reports how many actions are still to be undone for each
// case. Pure; single thread.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/base/state_row.h"
#include "fmd/reconcile/intervention.h"

namespace fmd {

class Interventions {
 public:
  using Table = std::map<Intervention::Key, Intervention, std::less<>>;

  const Table& all() const { return table_; }
  const Intervention* find(InterventionKind kind, std::string_view part) const;
  // Number of retirements in that group.
  std::vector<const Intervention*> retired_in(std::string_view group) const;
  std::vector<const Intervention*> owned_by(std::string_view uuid) const;

  void put(Intervention i);
  void erase(const Intervention::Key& id);
  // Someone else has changed a part that fmd had retired, and it is still out of service. Restoring
  // it is theirs, but it counts for the blast radius until back_in_service().
  void taken_over(const Intervention& retirement);
  void back_in_service(std::string_view part);
  struct TakenOver {
    std::string group;
    int64_t since_ns = 0;  // steady, of fmd's intent
  };
  const std::map<std::string, TakenOver, std::less<>>& all_taken_over() const {
    return taken_over_;
  }

  // Owners (cases) whose number of actions to undo may have changed since the last call.
  std::set<std::string> take_owners_changed();
  // Actions that the case must still undo. Replacements stay, so they do not count.
  uint32_t owed_by(std::string_view uuid) const;

  static StateRow row_of(const Intervention& i);
  std::vector<StateRow> take_changes();
  void mark_all_changed();
  Result<void> restore(const std::vector<StateRow>& rows);  // rows of other kinds are passed over

 private:
  Table table_;
  std::map<std::string, std::set<Intervention::Key>, std::less<>> by_group_, by_owner_;
  std::map<std::string, TakenOver, std::less<>> taken_over_;  // by part
  std::set<Intervention::Key> dirty_;
  std::set<std::string> dirty_taken_over_;
  std::set<std::string> owners_changed_;
};

}  // namespace fmd
