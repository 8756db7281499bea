// Durable: all of the daemon's state that has rows in the store: restored at start, and written
// with every commit. Owned by Daemon. Only the Pipeline writes it; other users get the part that
// they need. Single thread.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/clock_watch.h"
#include "fmd/base/steady_clock.h"
#include "fmd/daemon/own_state.h"
#include "fmd/daemon/tail.h"
#include "fmd/diagnosis/engine.h"
#include "fmd/model/bay_history.h"
#include "fmd/notify/alerts.h"
#include "fmd/notify/happenings.h"
#include "fmd/notify/outbox.h"
#include "fmd/notify/telling.h"
#include "fmd/reconcile/reconciler.h"

namespace fmd {

struct Durable {
  Durable(std::shared_ptr<const RuleSet> rules, std::function<std::string()> new_uuid,
          ActionConfig action, SteadyClock steady);

  SteadyClock clock;
  ClockWatch clock_watch;
  Engine engine;
  Reconciler reconciler;
  Telling telling;
  Happenings happenings;
  Alerts alerts;
  Outbox outbox;
  BayHistory bay_history;
  OwnState own;
  Tail tail;

  // Once, at start. Returns what could not be read, "" nothing; the rest is taken.
  // later: rows that are newer than the store's.
  std::string restore(const Store& store, const std::vector<StateRow>& later = {});
  std::string restore(const std::vector<StateRow>& rows, const Engine::Journal& journal);
  // Changes other than the engine's rows, which the pipeline takes itself.
  std::vector<StateRow> take_other_changes();
  // Everything, for a fresh file.
  void mark_all_changed();
  // For the watches over what is no case.
  Sight sight(Moment now) const;
  // A resolved case leaves the memory. Returns the outbox entries about it that were never delivered.
  std::vector<std::string> forget_case(std::string_view uuid);

 private:
  bool all_ = false;
};

}  // namespace fmd
