// Pipeline: the one road into the durable state. Work (events, inventory, results, an
// administrator's word) is queued, applied to the engine in order, and committed in groups: one
// transaction holds the events, everything they changed, the cursors and the messages to people.
// Only after the commit is anybody answered, commanded or told.
//
// A commit that fails is kept and tried again; meanwhile sources are held back (back-pressure),
// nothing is acked, and the case about it is visible at once. A damaged store is replaced by a
// fresh one without losing what is in memory. Single thread. No sockets, no event loop: the daemon
// asks next_wake() and calls run().
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/clock.h"
#include "fmd/diagnosis/engine.h"
#include "fmd/notify/outbox.h"
#include "fmd/reconcile/reconciler.h"
#include "fmd/store/reading_filter.h"
#include "fmd/store/store.h"

namespace fmd {

struct Work {
  std::vector<Event> events;               // checked; seq and received time are given on the way
  std::vector<InventoryUpdate> inventory;  // after the events
  std::vector<Reading> readings;           // for the history; those that say something new are kept
  std::vector<StateRow> rows;              // the daemon's own state, such as a cursor
  std::function<void(int64_t now_ns)>
      apply;                        // anything else that changes engine, reconciler or outbox
  std::function<void()> committed;  // the answer
};

struct Changes {                                          // what one commit changed
  std::map<std::string, std::string, std::less<>> cases;  // uuid → event, see ControlObserver
  std::vector<CaseNews> news;
  std::vector<InventoryChange> resources;
  uint64_t last_seq = 0;  // of the journal; 0 when no event was added
};

class Pipeline {
 public:
  static constexpr size_t kFlushEvents = 1000;
  static constexpr size_t kMostQueued = 8000;           // no more are taken in before a commit
  static constexpr int64_t kMaxWaitNs = 50 * 1000000;   // between commits of small batches
  static constexpr int64_t kFirstRetryNs = 1000000000;  // of a failed commit, doubling
  static constexpr int64_t kLongestRetryNs = 8LL * 1000000000;

  struct Hooks {
    std::function<bool(std::string_view fmri)> handled;  // a plugin takes commands for it
    std::function<void(const Command&)> command;         // send it
    std::function<OutboxMessage(const Case&, std::string_view)> compose;  // case, event
    std::function<void(const Changes&)> changed;                          // tell the observers
    std::function<std::vector<StateRow>()> own_rows;  // cursors and settings, all of them
    // The inventory took that in; what it returns is written along with it.
    std::function<std::vector<StateRow>(const InventoryUpdate&, const std::vector<InventoryChange>&,
                                        int64_t now_ns)>
        inventory_changed;
    std::function<void(bool)> hold_sources;  // back-pressure
    std::function<void(int priority, const std::string&)> log;
  };

  Pipeline(Engine& engine, Reconciler& reconciler, Outbox& outbox, Store& store, Clock clock,
           Hooks hooks);

  void submit(Work work);
  // An event about fmd itself; it is logged as well.
  void submit_event(const std::string& event_class, const std::string& resource,
                    const std::string& reason);
  void
  reconsider();  // something outside changed (handlers, configuration): let the reconciler look

  // When run() has something to do, monotonic; nothing: not until something is submitted.
  std::optional<int64_t> next_wake_ns() const;
  // Until then sources that have more to say right now are heard first: a larger group is cheaper.
  bool urgent() const;
  // Does what is due: holds that are over, the queue when it is time, the retry of a failed commit.
  void run();
  // Everything at once. The error says that it could not be written; it is then kept and written
  // later.
  Result<void> flush();

  bool failing() const { return failing_; }
  const std::string& failure() const { return failure_; }
  size_t queued_events() const { return queued_events_; }
  uint64_t commits() const { return commits_; }

 private:
  void absorb();
  void collect();
  Result<void> write();
  void failed(const Error& error);
  void recovered();
  Result<void> write_batch();
  Result<void> replace_damaged();
  void publish();
  bool clock_work_due(int64_t wall_ns) const;

  Engine& engine_;
  Reconciler& reconciler_;
  Outbox& outbox_;
  Store& store_;
  Clock clock_;
  Hooks hooks_;

  std::vector<Work> queue_;
  size_t queued_events_ = 0;
  int64_t last_flush_mono_ns_ = 0;
  int64_t first_queued_mono_ns_ = 0;
  bool reconsider_ = true;
  bool flushing_ = false;

  // Applied, not written yet.
  Batch batch_;
  ReadingFilter reading_filter_;
  std::vector<std::function<void()>> after_;
  std::vector<Command> commands_;
  Changes changes_;
  uint64_t next_seq_ = 1;

  bool failing_ = false;
  std::string failure_;
  int64_t retry_mono_ns_ = 0, retry_wait_ns_ = 0;
  uint64_t commits_ = 0;
};

}  // namespace fmd
