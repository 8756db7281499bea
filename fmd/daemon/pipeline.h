// Pipeline: the only way into the durable state. Work (events, inventory, results, orders of
// administrators) is queued, applied to the engine in order, and committed in groups. One
// transaction contains the events, all that they changed, the planned commands, the cursors and the
// messages. After the commit, the pipeline returns its consequences as a value, for the caller to
// carry out (carrier.h). Nothing is acknowledged, commanded or sent before.
//
// The store's thread (store_jobs.h) writes one group at a time, while the next one gathers. Work
// that arrives meanwhile is applied to memory if there is much of it, so that both threads are busy
// in a storm, or if the write takes longer than kBusyNs, so that queries see the current state. A
// write that takes longer than kStalledNs opens a case.
//
// A commit that fails is kept and retried. While commits fail or stall, nothing is acknowledged,
// only lights are planned, and cases are shown and reported at once. Sources continue until memory
// is full, and are then held back. A damaged store is replaced by a new one; nothing in memory is
// lost.
//
// Single thread. No sockets, no event loop: the daemon queries next_wake_ns() and calls run(). All
// times are steady (moment.h).
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

#include "fmd/advice/part_index.h"
#include "fmd/control/changes.h"
#include "fmd/daemon/arrivals.h"
#include "fmd/daemon/durable.h"
#include "fmd/daemon/pace.h"
#include "fmd/hub/flow.h"
#include "fmd/notify/message.h"
#include "fmd/store/reading_filter.h"
#include "fmd/store/store_jobs.h"

namespace fmd {

struct Work {
  EventList events;                        // checked; seq and received time are given on the way
  std::vector<InventoryUpdate> inventory;  // after the events
  std::vector<Reading> readings;           // for the history; those that say something new are kept
  std::vector<StateRow> rows;              // the daemon's own state, such as a cursor
  std::function<void(Durable&, Moment now)> apply;  // any other change of durable state
  std::function<void()> committed;                  // the answer; may submit and commit in its turn
};

struct LogLine {
  int priority;  // syslog.h
  std::string text;
};

// The result of a run, to be carried out in the order of the members.
struct Committed {
  Result<void> outcome;  // the error: it is in force in memory, but not on disk yet
  std::vector<LogLine> log;
  std::optional<Flow> flow;                    // back-pressure
  std::vector<std::function<void()>> answers;  // to requests whose changes are on disk
  // The fault LEDs' interventions with their bays, when some of the commands are sent before their
  // intent is on disk; none of them: it is now.
  std::optional<std::vector<StateRow>> lights_ahead;
  std::vector<Command> commands;    // whose intent is on disk
  std::vector<OrderResult> orders;  // for the caller; also reported if they cannot be written
  Changes changes;                  // for the observers
  // The store could be opened at last, and holds what this process has not read.
  bool start_again = false;
};

// Which parts a command can be sent for.
class Handlers {
 public:
  virtual ~Handlers() = default;
  virtual bool handled(std::string_view fmri) const = 0;  // by a plugin that is connected
};

class Pipeline {
 public:
  static constexpr size_t kWarmEvents = 250;  // are applied before more is read
  static constexpr size_t kFlushEvents = 1000;
  static constexpr size_t kGroupEvents = 4000;          // are written at once by a store that waits
  static constexpr size_t kMostQueued = 8000;           // the limit before a commit
  static constexpr size_t kMostReadings = 100'000;      // that wait to be written
  static constexpr size_t kMeasuredRows = 16;           // Engine::take_measured(), a commit
  static constexpr int64_t kFirstRetryNs = 1000000000;  // of a failed commit, doubling
  static constexpr int64_t kLongestRetryNs = 8LL * 1000000000;
  static constexpr int64_t kSliceNs = 1000000;                 // of run(), before others are heard
  static constexpr int64_t kBusyNs = 200LL * 1000000;          // of a commit under way
  static constexpr int64_t kStalledNs = 5LL * 1000000000;      // of one that is a case
  static constexpr int64_t kFastAgainNs = 600LL * 1000000000;  // without another: the case ends
  static constexpr int64_t kPatienceNs = 500LL * 1000000;      // of flush()
  static constexpr int kMaxReplaced = 3;                       // damaged stores in a row

  // All outlive it. last_seq: the journal's. host: the name that messages to people give this machine.
  Pipeline(Durable& durable, StoreJobs& store, uint64_t last_seq, Arrivals& arrivals,
           const Handlers& handlers, std::string host);

  void submit(Work work);
  // An event about fmd itself; it is logged as well.
  void submit_event(const std::string& event_class, const std::string& resource,
                    const std::string& reason);

  // The previous run has reported that the store lives on its reserve, so report when that ends.
  void go_on_low() { low_ = true; }
  // A run before has kept such lights.
  void begin_with_lights_ahead() { ahead_ = true; }
  // The store could not be opened: as if a commit had failed.
  void begin_unopened(const Error& why, bool full) { failed(why, full); }

  // When run() has something to do, steady; nothing: not until something is submitted.
  std::optional<int64_t> next_wake_ns() const;
  // Else sources that have more to say right now are heard first: a larger group is cheaper.
  bool urgent() const;
  // urgent(), but once after a slice: somebody else's turn.
  bool take_turn();
  // Does the due work: ended holds, the queue, the retry of a failed commit. A long queue is
  // applied in slices, so that queries are answered in between.
  [[nodiscard]] Committed run();
  // Everything at once; waits at most this long for the store.
  [[nodiscard]] Committed flush(int64_t patience_ns = kPatienceNs);
  // Applies the queue to memory without waiting.
  void take_in();

  bool failing() const { return failing_; }
  bool stalled() const { return stalled_; }
  bool idle() const { return !busy() && !failing_; }  // the store has nothing to write
  // True if all messages are on disk, or the disk cannot be written.
  bool may_deliver() const { return failing_ || stalled_ || !busy(); }
  const std::string& failure() const { return failure_; }
  // For messages about the present state; valid until the next run().
  MessageContext message_context();
  size_t queued_events() const { return queued_events_; }
  size_t waiting_events() const { return queued_events_ + batch_.events.size(); }  // for a group
  size_t waiting_rows() const { return batch_.rows.size(); }  // applied, not being written yet
  uint64_t commits() const { return commits_; }
  uint64_t last_seq() const { return next_seq_ - 1; }  // that was given
  uint64_t counted_to() const { return counted_to_; }  // by the last checkpoint on disk
  struct Written {
    uint64_t rows = 0, bytes = 0;  // of state, events not among them
  };
  const Written& written() const { return written_; }

 private:
  struct Group {  // being written, and what waits for that
    std::shared_ptr<Batch> batch;
    std::vector<std::function<void()>> answers;
    std::vector<Command> commands;
    Changes changes;
    std::optional<uint64_t> counted_to;  // with a checkpoint
    bool ahead = false;                  // the intents of lights that are lit already
  };
  // The store after a commit.
  struct After {
    bool full = false, low = false, unread = false;
  };
  bool busy() const { return group_.has_value() || replacing_; }
  int64_t stalls_ns() const;
  bool held_back() const { return failing_ || stalled_; }
  bool nothing_to_write() const;
  bool is_much(size_t events) const { return events >= kFlushEvents; }
  bool goes_on_gathering() const;
  bool waits_long() const;
  bool is_whole_group(size_t events) const;
  void watch_reserve(bool low);
  void absorb();
  enum class Tells { now, later };
  bool absorb_until(int64_t until_ns, Tells tells = Tells::now);
  bool gather_until(int64_t until_ns);
  bool take_queue(Moment now, int64_t until_ns);
  bool take_events(Work& work, Moment now, int64_t until_ns);
  void take_inventory(const InventoryUpdate& update, Moment now);
  void look_at_outbox(Moment now);
  void plan(Moment now);
  void tell(Moment now);
  void remind(const Telling::Held& held, Moment now);
  void tell_happenings(Moment now);
  void announce(Tidings tidings, Moment now);
  void close_digests(Moment now);
  void collect();
  void begin();
  void finished(const Result<void>& outcome, const After& after);
  void put_back(Group group);
  void wait_longer(int64_t now_ns, bool due);
  void hold_sources();
  void lights_first(std::vector<Command>& commands);
  void light(std::vector<Command> commands);
  void compact();
  void watch_speed(int64_t now_ns);
  void set_flow(Flow flow);
  void replace_damaged();
  void replaced(const Result<void>& outcome, const std::string& story, bool full);
  void failed(const Error& error, bool full);
  void drop_commands();
  void recovered();
  Committed take_out();
  std::optional<int64_t> next_deadline_ns(int64_t now_ns) const;
  bool planning_due(int64_t now_ns) const;

  Durable& durable_;
  StoreJobs& store_;
  Arrivals& arrivals_;
  const Handlers& handlers_;
  std::string host_;
  CurrentPartIndex index_;  // many messages are composed while the inventory stays as it is

  std::vector<Work> queue_;
  size_t queued_events_ = 0;
  size_t taken_of_first_ = 0;  // events of the queue's first that are applied
  Moment taken_at_;            // the slices
  uint64_t taken_from_ = 0;
  bool cut_ = false, yields_ = false;  // a slice has ended: there is more; others are to be heard
  Pace pace_;
  int64_t waits_since_ns_ = 0;  // the oldest entry that is in no group yet

  // Applied, not written yet.
  Batch batch_;
  ReadingFilter reading_filter_;
  std::set<std::string> changed_cases_;  // Telling is to look at
  Committed next_;                       // what there will be to carry out
  uint64_t next_seq_ = 1, counted_to_ = 0;

  std::optional<Group> group_;  // being written
  Committed ready_;             // to be carried out
  int64_t begun_ns_ = 0;
  int64_t moved_ns_ = 0;  // when the store was last seen to have finished something, a question too
  bool replacing_ = false;  // the damaged store, under way
  int replaced_ = 0;        // times in a row
  bool stalled_ = false;
  Flow flow_ = Flow::acked;
  size_t compact_at_ = kMostQueued;  // rows
  bool untold_ = false;              // there may be unreported news
  int64_t fast_again_ns_ = 0;        // when the case about a slow disk ends; 0 there is none

  bool failing_ = false, low_ = false;
  bool ahead_ = false;  // LEDs are lit whose intent is in no group yet
  std::string failure_;
  int64_t retry_ns_ = 0, retry_wait_ns_ = 0;
  uint64_t commits_ = 0;
  Written written_;
};

}  // namespace fmd
