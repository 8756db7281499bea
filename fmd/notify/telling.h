// Telling: decides when a message about a case is due, and corrects earlier messages.
//
// All changes of cases from the engine pass through here to the outbox. A first message waits at
// most 60 s after the verdict while the bay or serial number is unknown and a plugin that reports
// it is still expected. Telling stores what people were told: the part and its place, and the
// announced actions (retired, a spare brought in, the LED lit, the new disk used). It compares this
// with each change of the case. Differences are sent as "updated": after a few seconds, to gather
// more, and at most every 5 min per case. The end of a case is sent at once, or within 30 s while
// fmd undoes its actions, so that mostly one message is sent ("resolved"). A pending update is
// included in it.
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

struct Tidings {  // one message that is due
  CaseNews news;
  std::vector<std::string> whats_new;  // sentences; of an update: what differs from what was told
  std::vector<std::string> not_done;  // sentences: what the case's texts announce and is not so now
  std::string unsent = {};            // not to be sent: why
  Target only_to = {};                // of a reminder: whoever else is not told
};

// The sentence of a first message about a case that has ended: the only one, or with more to come.
std::string over_before_told(CaseEvent ending);

class Telling {
 public:
  using FindCase = std::function<const Case*(std::string_view uuid)>;
  // Whether bay or serial of that suspect may yet become known: a plugin that tells such things is
  // expected and has not said all it knows since the daemon's start.
  using Expected = std::function<bool(const Suspect&)>;
  // Whether messages about the case wait: somebody works on it (maintenance.h).
  using Held = std::function<bool(const Case&)>;
  struct Withheld {
    std::string uuid;
    CaseEvent event;
  };

  Telling();
  ~Telling();

  void take(const CaseNews& news, const Case& c, Moment now);  // in the order in which they came
  // The case has changed. After a start each open case is looked at once, before all else: one
  // without a row counts as told as it is.
  void looked(const Case& c, Moment now);
  // Composing a message takes a tenth of a millisecond: more of them at once would keep people who
  // ask waiting, and be in memory together until they are written.
  static constexpr size_t kMostAtOnce = 200;
  // Returns the messages to send now, and records them as sent. It stops at kMostAtOnce and is due again
  // at once. Each call asks expected again, so call it when a plugin has described all its parts.
  // What is held waits until let_go(), its end excepted: whoever was told of a case hears that at once.
  std::vector<Tidings> due(const FindCase& find, const Expected& expected, Moment now,
                           const Held& held = {});
  // The message that the part can be pulled is due again, after the time between two updates.
  void relief_not_sent(const Case& c, Moment now);
  std::vector<Withheld> take_withheld();  // messages that began to wait since the last call
  void let_go();                          // what was held is due anew
  std::optional<int64_t> next_deadline_ns() const;  // steady
  void forget_case(std::string_view uuid);

  std::vector<StateRow> take_changes();
  void mark_all_changed();
  Result<void> restore(const std::vector<StateRow>& rows);  // rows of other kinds are passed over

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fmd
