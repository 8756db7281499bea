// Telling: decides when a message about a case is due, and corrects earlier messages.
//
// All changes of cases pass from the engine through here to the outbox. A first message waits at
// most 60 s after the verdict while the odds of the disk are being computed, or while the bay or
// serial number is unknown and a plugin that reports it is still expected. Telling stores what people were told: the part and its place, and the
// announced actions (retired, a spare brought in, the LED lit, the new disk used). It compares that
// with each change of the case. Differences are sent as "updated": after a few seconds, to gather
// more, and at most every 5 min per case; the news that the part can be pulled is sent without that
// pause. The end of a case is sent at once, or within 30 s while fmd undoes its actions, so that
// mostly one message is sent ("resolved"), which includes any pending update.
//
// Rows "telling" (uuid). Pure; single thread.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/moment.h"
#include "fmd/base/result.h"
#include "fmd/base/state_row.h"
#include "fmd/diagnosis/engine.h"
#include "fmd/notify/case_event.h"
#include "fmd/notify/preferences.h"

namespace fmd {

struct Tidings {  // a message that is due
  CaseNews news;
  std::vector<std::string> whats_new;  // sentences of an update: differences from earlier messages
  std::vector<std::string> not_done;   // sentences: announced actions that are not true now
  std::string unsent = {};             // why it is not sent; "": it is sent
  Target only_to = {};                 // of a reminder: its only recipients
  std::string covered_by = {};         // the case whose message says the same to people
};

// The sentence of a first message about a case that has ended: the only one, or with more to come.
std::string over_before_told(CaseEvent ending);

class Telling {
 public:
  using FindCase = std::function<const Case*(std::string_view uuid)>;
  // Whether the suspect's bay or serial may still become known: a plugin that reports it is
  // expected and has not described all its parts since the daemon's start.
  using Expected = std::function<bool(const Suspect&)>;
  // Whether messages about the case wait for the end of maintenance (maintenance.h).
  using Held = std::function<bool(const Case&)>;
  struct Withheld {
    std::string uuid;
    CaseEvent event;
  };

  Telling();
  ~Telling();

  void take(const CaseNews& news, const Case& c, Moment now);  // in order of arrival
  // The case has changed. After a start, call it first for each open case: a case without a row
  // counts as reported in its present state.
  void looked(const Case& c, Moment now);
  // Composing a message takes 0.1 ms: more at once would delay queries and take too much memory.
  static constexpr size_t kMostAtOnce = 200;
  // Returns the messages to send now, and records them as sent. Stops at kMostAtOnce and is then
  // due again at once. Each call checks `expected` again, so call it when a plugin has described
  // all its parts. Held messages wait until let_go(), except the end of a reported case.
  std::vector<Tidings> due(const FindCase& find, const Expected& expected, Moment now,
                           const Held& held = {});
  // The message that the part can be pulled is due again, after the pause between updates.
  void relief_not_sent(const Case& c, Moment now);
  std::vector<Withheld> take_withheld();  // messages that have begun to wait since the last call
  void let_go();                          // held messages are due again
  std::optional<int64_t> next_deadline_ns() const;  // steady
  void forget_case(std::string_view uuid);

  std::vector<StateRow> take_changes();
  void mark_all_changed();
  Result<void> restore(const std::vector<StateRow>& rows);  // ignores rows of other kinds

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fmd
