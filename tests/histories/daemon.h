// Daemon: the parts of fmd under test (engine, reconciler, telling) and the pipeline between them
// (fmd/daemon/pipeline.h): input is applied and committed in groups; sources are acked, commands
// sent and messages delivered only after the commit. It can be killed at any point and keeps what
// was committed.
// The store is a map of rows and a journal. Only one group in kCheckpointEach writes a checkpoint,
// so a start replays the rest. The stage takes the hub's place.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fmd/daemon/own_state.h"
#include "fmd/model/bay_history.h"
#include "fmd/notify/telling.h"
#include "fmd/reconcile/reconciler.h"
#include "shape.h"

namespace fmd::histories {

enum class Crash { none, before_commit, after_commit };

class Daemon {
 public:
  struct Outside {
    std::function<void(const Command&)> send;
    std::function<void(const Tidings&, const Case&)> told;
    std::function<void(Source, size_t events)> acked;
    std::function<void(const OrderResult&)> ordered;
    std::function<void(const std::string&)> broken;  // a restore reported that it failed
    std::function<void()> grouped;                   // state has been committed
    std::function<void(const Command&)> unsent;  // committed, but fmd was killed before sending it
    // Whether a plugin is present for parts that belong neither to ZFS nor to an enclosure.
    std::function<bool(std::string_view fmri)> handled = {};
  };
  using Work = std::function<void(Moment)>;

  // bays: records which disk was in which bay; must outlive this. null: only the present is known.
  Daemon(std::shared_ptr<const RuleSet> rules, ActionConfig config, Outside outside,
         BayHistory* bays = nullptr);

  bool up() const { return engine_ != nullptr; }
  void start(Moment now);
  void kill();
  void crash_at_next_group(Crash crash) { crash_ = crash; }
  // The next start moves the damaged database aside and begins a new one.
  void lose_database() { is_lost_ = true; }
  // Wall clock. Earlier events are no evidence because a database was lost then; 0: none was.
  Ns evidence_from_ns() const { return own_.evidence_from_ns; }
  bool is_of_lost_database(std::string_view uuid) const;

  void connected(Source source, bool on);
  bool is_connected(Source source) const { return connected_.contains(source); }
  void take_events(Source source, std::vector<Event> events);
  void take_inventory(Source source, InventoryUpdate update);
  void hear(InventoryUpdate update);  // from a source that is not in Source
  void take_answer(Command command, CommandResult result);
  void person(Work work);
  void retention();  // resolved cases leave memory

  // Steady clock. Nothing if it only waits for input.
  std::optional<Ns> next_wake(Ns now) const;
  void run(Moment now);  // to be called at next_wake()

  Engine& engine() { return *engine_; }
  Reconciler& reconciler() { return *reconciler_; }
  const Telling& telling() const { return *telling_; }
  Telling& telling() { return *telling_; }
  bool expected(const Suspect& suspect) const;
  // Restarts it and returns how its state then differs; "" while something waits for a commit.
  std::string restart_difference(Moment now);

 private:
  using Rows = std::map<std::pair<std::string, std::string>, std::string>;
  Rows rows_in_memory();
  void absorb(Moment now);
  void collect();
  void commit();
  void put(const std::vector<StateRow>& rows);
  bool handled(std::string_view fmri) const;
  void take(Event event, Moment now);
  void report_forgotten();
  void begin_new_database(Moment now);

  std::shared_ptr<const RuleSet> rules_;
  ActionConfig config_;
  Outside outside_;
  BayHistory* bays_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Reconciler> reconciler_;
  std::unique_ptr<Telling> telling_;
  Rows store_;
  std::vector<std::pair<Event, Moment>> journal_,
      events_;  // since the last checkpoint; not committed yet
  unsigned groups_ = 0;
  unsigned cases_ = 0, lost_cases_ = 0;  // in all lives; the number at the last database loss
  OwnState own_;
  bool is_lost_ = false;
  uint64_t seq_ = 0;

  std::set<Source> connected_, complete_;  // has sent its whole inventory since the start
  std::vector<Work> queue_;
  std::map<Source, size_t> to_ack_;
  std::vector<StateRow> rows_;
  std::vector<Command> commands_;
  std::vector<std::pair<Tidings, Case>> tidings_;
  std::set<std::string> cases_changed_;
  Ns last_group_ = -kHour;
  Crash crash_ = Crash::none;
};

}  // namespace fmd::histories
