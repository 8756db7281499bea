// Alerts: decides who gets each message that is due (telling.h, happenings.h), puts it into the
// outbox (outbox.h), and records for each case and happening who got which message, when and by
// which rule, or why not. Rows "notice" (uuid). Pure; single thread.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/moment.h"
#include "fmd/base/result.h"
#include "fmd/base/state_row.h"
#include "fmd/notify/maintenance.h"
#include "fmd/notify/outbox.h"
#include "fmd/notify/preferences.h"
#include "fmd/notify/reminders.h"

namespace fmd {

class Alerts {
 public:
  Maintenance maintenance;
  Reminders reminders;

  void set_preferences(Preferences preferences);
  const Preferences& preferences() const { return preferences_; }

  // Queues the message for all recipients; records and logs the reason if there are none.
  void tell(const Tidings& tidings, const Case& c, const Inventory& inventory, Moment now,
            Outbox& outbox, const Composer& compose);
  // The same for messages that are not about a case.
  void tell(const Tidings& tidings, const AlertFacts& facts, Moment now, Outbox& outbox,
            const Composer& compose);
  // Whether messages about the case wait for the end of maintenance.
  bool held(const Case& c, const Inventory& inventory, Moment now) const {
    return maintenance.covering(c, inventory, now.wall_ns) != nullptr;
  }
  // Records that a message about the case waits for the end of a window.
  void withheld(const Case& c, std::string_view event, const Inventory& inventory, Moment now);
  void withheld(const std::string& uuid, std::string_view event, const MaintenanceWindow* window,
                Moment now);
  // Records the delivery.
  void delivered(std::string_view uuid, std::string_view key, std::string_view channel, Moment now);
  // Records that the outbox gave up.
  void gave_up(std::string_view uuid, std::string_view key, std::string_view channel,
               std::string_view why, Moment now);

  // ExplainNotify: who got which messages about the case, when, or why not.
  nlohmann::json explain(std::string_view uuid, const Outbox& outbox) const;
  std::vector<std::string> take_said();  // log lines: unsent messages and reasons

  void forget_case(std::string_view uuid);
  std::vector<StateRow> take_changes();  // includes maintenance and reminders
  void mark_all_changed();
  Result<void> restore(const std::vector<StateRow>& rows);  // ignores rows of other kinds

 private:
  struct Record {
    int64_t time_ns = 0, delivered_ns = 0;  // wall
    std::string event, channel, key;        // key "": not sent
    Recipients recipients;
    std::string why;          // the rule that sent it, or why it was not sent
    int64_t gave_up_ns = 0;   // wall
    std::string reason = {};  // why it was given up
  };
  using Book = std::vector<Record>;
  static constexpr size_t kMostRecords = 200;  // per case: the first and the last half

  void tell_targets(const Tidings& tidings, std::vector<Target> targets, Moment now, Outbox& outbox,
                    const Composer& compose);
  void leave_out_covered(const std::string& by, AlertFacts facts, Moment now, const Outbox& outbox,
                         Decision& decision);
  void write(const std::string& uuid, Record record);
  void unsent(const std::string& uuid, std::string_view event, const Unsent& unsent, Moment now);
  std::set<std::pair<std::string, std::string>> told(const std::string& uuid) const;
  static nlohmann::json to_json(const Record& record);

  Preferences preferences_;
  std::map<std::string, Book, std::less<>> books_;
  std::set<std::string> dirty_;
  std::vector<std::string> said_;
};

}  // namespace fmd
