// Happenings: events that are no cases, from their discovery until the message is sent, and the
// latest sent ones. Some are reported only if they last. A disk that is back in its bay within that
// time, or before the end of a maintenance window, is not reported. Rows "happening" (uuid), and
// those of the watch. Pure; single thread. Times are steady unless stated otherwise.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/base/duration.h"
#include "fmd/notify/happening_watch.h"

namespace fmd {

class Happenings {
 public:
  static constexpr int64_t kSettleNs = 10 * kSecondNs;
  static constexpr int64_t kPlaceNs = 30 * kSecondNs;  // to learn the bay of an inserted disk
  static constexpr int64_t kCountedNs = 3600 * kSecondNs;
  static constexpr int kMostCounted = 6;  // messages about one part and kind in that time
  static constexpr size_t kKept = 500;    // of finished ones

  enum class Turn {
    told,       // now
    waits,      // for the end of a window
    over,       // waited, and has passed
    too_often,  // the part flaps: no more messages
  };
  struct Due {
    Happening happening;
    Turn turn;
    bool first;  // not reported yet, not even in the log
  };
  using Held = std::function<bool(const Happening&)>;

  explicit Happenings(std::function<std::string()> new_uuid) : new_uuid_(std::move(new_uuid)) {}

  // Call after inventory and bay history have taken the update.
  void observe(const Sight& sight, const InventoryUpdate& update,
               const std::vector<InventoryChange>& changes);
  std::vector<Due> due(const Sight& sight, const Held& held);
  void let_go() { let_go_ = true; }  // a window has ended
  std::optional<int64_t> next_deadline_ns() const;
  std::vector<std::string> take_forgotten();  // uuids

  const Happening* find(std::string_view uuid) const;
  nlohmann::json list() const;  // ListHappenings, oldest first

  std::vector<StateRow> take_changes();
  void mark_all_changed();
  // Ignores rows of other kinds. Call after restoring the inventory.
  Result<void> restore(const std::vector<StateRow>& rows, const Inventory& inventory);

 private:
  enum class Stage { pending, held, over };
  struct Entry {
    Happening happening;
    Stage stage = Stage::pending;
    uint64_t order = 0;
    int64_t seen_ns = 0, due_ns = 0;
    int64_t told_ns = 0;  // 0: not reported
    // For a disk that is back before its removal was reported: the bay that it left.
    std::optional<std::string> left = {};
  };

  void enlist(Happening happening, Moment now);
  std::optional<Due> judge(Entry& entry, const Sight& sight, const Held& held);
  bool flaps(const Happening& happening, int64_t now_ns) const;
  std::string opposite_of(const Happening& happening) const;
  void erase(const std::string& uuid);
  void finish(Entry& entry);
  static StateRow row_of(const Entry& entry);
  bool take_row(const StateRow& row);

  std::function<std::string()> new_uuid_;
  HappeningWatch watch_;
  std::map<std::string, Entry, std::less<>> entries_;   // by uuid
  std::set<std::pair<uint64_t, std::string>> waiting_;  // (order, uuid): pending and held
  std::set<std::pair<uint64_t, std::string>> over_;
  std::set<std::string> dirty_;
  std::vector<std::string> forgotten_;
  uint64_t next_order_ = 1;
  bool let_go_ = true;  // windows may have ended while fmd was down
};

}  // namespace fmd
