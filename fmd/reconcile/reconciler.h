// Reconciler: level-triggered action. Each faulty case states the wanted state (its part retired, a
// spare in, the fault LED on, the new disk used). The reconciler compares it with the inventory,
// and with who caused that. What is missing becomes commands; what is no longer wanted is undone.
// Results come back through done(). It plans per part, and only parts with changes. Pure: no clock,
// no sockets. Single thread.
//
//   interventions.h   fmd's actions, and for which case
//   observed.h        a part as in the inventory, typed
//   settle.h          compares fmd's actions with what is observed
//   part_plan.h       the wanted state of one part (an ASRU)
//   replacement.h     the new disk: which one is meant, whether it fits
//   places.h          disks and bays as of the last look
//   lights.h          the lights of a bay
//   blast_radius.h    whether one more part may be taken out
//   overrides.h       people's orders, final refusals
//   flights.h         pending commands, back-off, deadlines
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/moment.h"
#include "fmd/base/result.h"
#include "fmd/diagnosis/engine.h"
#include "fmd/model/bay_history.h"
#include "fmd/reconcile/command.h"
#include "fmd/reconcile/interventions.h"

namespace fmd {

struct ActionConfig {        // fmd.toml [action]
  bool dry_run = false;      // say what would be done, touch nothing
  uint64_t max_retired = 2;  // blast radius: at most this many ASRUs taken out per group...
  int64_t max_retired_within_ns = 24LL * 3600 * 1000000000;  // ...in this time, unless put back
  int64_t locate_off_after_ns = 4LL * 3600 * 1000000000;     // a locate light; 0: never by time
  bool auto_replace = true;  // a blank disk in the bay of a faulted one is taken as its replacement
  int64_t first_retry_ns = 1000000000, max_retry_ns = 300LL * 1000000000;  // doubling between them
};

struct OrderResult {  // of order_retire, order_restore and order_replace
  uint64_t order = 0;
  CommandStatus status = CommandStatus::failed;
  std::string text;  // one sentence for the person who ordered it
};

class Reconciler {
 public:
  Reconciler(Engine& engine, ActionConfig config);
  ~Reconciler();
  void set_config(ActionConfig config);  // all parts are examined again
  void set_bay_history(
      const BayHistory* bays);  // outlives it; nullptr: which disk is new is unknown
  const ActionConfig& config() const;

  // The parts for the next step().
  void case_changed(std::string_view uuid);
  // It has new evidence and nothing else: only what waits for that is looked at.
  void case_goes_on(const Case& c);
  void resource_changed(std::string_view fmri);
  void handlers_changed();  // a plugin that takes commands has come or gone
  bool has_work() const;    // some of that has happened since the last step

  // The commands to send now, at most one in progress per part. handled(fmri): whether a plugin for
  // its commands is connected.
  enum class Scope { all, lights };  // lights: everything else waits for the next step
  std::vector<Command> step(Moment now, const std::function<bool(std::string_view)>& handled,
                            Scope scope = Scope::all);
  void done(const Command& command, const CommandResult& answered, Moment now);
  // Its intent could not be written, so it was not sent: planned again if still wanted.
  void unsent(const Command& command);
  std::optional<int64_t> next_deadline_ns()
      const;  // steady: when step() has something to do by itself

  // An order by a person, such as the texts ask for. part: an ASRU's FMRI. The redundancy check
  // applies, the blast radius does not. restore() keeps the part in service until it is retired by
  // order, or no open case is about it. Returns the number of its OrderResult; errors are returned
  // at once.
  Result<uint64_t> order_retire(std::string_view part, Service level, std::string_view who,
                                Moment now);
  Result<uint64_t> order_restore(std::string_view part, std::string_view who, Moment now);
  // disk: FMRI of the new disk. An unsuitable one (replacement.h) is an error; with `force` it is
  // used anyway, unless it is in use.
  Result<uint64_t> order_replace(std::string_view part, std::string_view disk, bool force,
                                 std::string_view who, Moment now);
  std::vector<OrderResult> take_order_results();
  std::vector<std::string> take_said();  // actions without a case: lines for the log
  // Parts with an action in force for a case that fmd does not know, since its database was lost. Each once after a start.
  std::set<std::string> take_forgotten();

  // A person's request for the locate LED of that bay. Lasts until switched off, regardless of
  // other holders, or until its purpose is over: another disk is in the bay, the case about a part
  // there is over, or locate_off_after_ns have passed.
  Result<void> locate(std::string_view bay, bool on, std::string_view who = {});
  // On until all holders have released it; a request by locate() remains.
  Result<void> hold_locate(std::string_view bay, std::string_view holder);
  std::vector<std::string> release_locate(std::string_view holder);  // the bays that it held
  std::set<std::string> locate_holders() const;

  const Interventions& interventions() const;
  // Parts that a person's word keeps in service: FMRI → who.
  const std::map<std::string, std::string, std::less<>>& kept_in_service() const;

  std::vector<StateRow> take_changes();  // rows "intervention", "kept", "refusal", "locate"
  void mark_all_changed();               // the next take_changes() returns every row
  Result<void> restore(const std::vector<StateRow>& rows);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fmd
