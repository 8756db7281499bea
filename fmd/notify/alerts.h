// Alerts: decides who gets each message that is due (telling.h, happenings.h), puts it into the
// outbox (outbox.h), and keeps the record: for each case and happening who got what, when and by
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

  // Into the outbox for everyone who is to be told; or why not, into the book and the log.
  void tell(const Tidings& tidings, const Case& c, const Inventory& inventory, Moment now,
            Outbox& outbox, const Composer& compose);
  // The same by what is known of what the tidings are about: for what is no case.
  void tell(const Tidings& tidings, const AlertFacts& facts, Moment now, Outbox& outbox,
            const Composer& compose);
  // Somebody works on what the case is about: messages wait.
  bool held(const Case& c, const Inventory& inventory, Moment now) const {
    return maintenance.covering(c, inventory, now.wall_ns) != nullptr;
  }
  // A message about the case waits for a window's end.
  void withheld(const Case& c, std::string_view event, const Inventory& inventory, Moment now);
  void withheld(const std::string& uuid, std::string_view event, const MaintenanceWindow* window,
                Moment now);
  // The outbox has it delivered.
  void delivered(std::string_view uuid, std::string_view key, std::string_view channel, Moment now);
  // The outbox tries it no more.
  void gave_up(std::string_view uuid, std::string_view key, std::string_view channel,
               std::string_view why, Moment now);

  // ExplainNotify: who got what about the case, when, or why not.
  nlohmann::json explain(std::string_view uuid, const Outbox& outbox) const;
  std::vector<std::string> take_said();  // for the log: what was not sent, and why

  void forget_case(std::string_view uuid);
  std::vector<StateRow> take_changes();  // with those of maintenance and reminders
  void mark_all_changed();
  Result<void> restore(const std::vector<StateRow>& rows);  // rows of other kinds are passed over

 private:
  struct Record {
    int64_t time_ns = 0, delivered_ns = 0;  // wall
    std::string event, channel, key;        // key "": it was not sent
    Recipients recipients;
    std::string why;          // which rule sent it, or why it was not sent
    int64_t gave_up_ns = 0;   // wall
    std::string reason = {};  // why it was given up
  };
  using Book = std::vector<Record>;
  static constexpr size_t kMostRecords = 200;  // a case; the first half of them and the last

  void tell_targets(const Tidings& tidings, std::vector<Target> targets, Moment now, Outbox& outbox,
                    const Composer& compose);
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
