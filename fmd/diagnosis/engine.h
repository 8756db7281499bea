// Engine: diagnosis as a pure function. From rules, inventory, events and the time passed in, it
// opens, solves, folds, merges, repairs and resolves cases. No clock, no I/O: the same calls give
// the same cases, live, replayed, or in a test. Single thread.
//
// The engine only calls its parts in order; each can be read on its own:
//
//   events ────▶ SerdBank        counts errors per rule and resource, fires
//   inventory ─▶ ConditionBank   states, thresholds and growths; convicted and acquitted ones
//         found │
//               ▼
//           Verdicts ──▶ HoldBank   the finding waits first, if the rule says so
//               │
//               ├─▶ Folding       adds a suspect to the case about that part; merges cases about
//               │                 one part
//               ▼
//           CaseBook              the cases, their parts, news, rows
//               ▲
//           Repairs               by an event, a state, a swap, quiet, a person; resolved
//
// Persistence: after each call take_changes() returns the changed state as (kind, key, JSON text)
// rows for the store's transaction; restore() takes the rows back at start. Everything else can be
// derived. The kinds: "case" and "evidence" (uuid), "serd", "hold", "condition" and "growth" (RULE
// FMRI), "path" (FMRI), "item" (WAY FMRI), "silence" (FMRI of a plugin), "resource" (SOURCE FMRI), "checkpoint" ("events": the last event that is
// counted in everything).
//
// In a storm most changes only increase counts. take_decided() omits those, and restore() then
// counts the journal's tail again, exactly and without decisions. Time is passed in (moment.h):
// durations use the steady clock, displayed times the wall clock; the times of events may be
// arbitrary (see serd.h).
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
#include "fmd/base/state_row.h"
#include "fmd/diagnosis/blame/blame.h"
#include "fmd/diagnosis/views.h"
#include "fmd/model/bay_history.h"
#include "fmd/model/case.h"
#include "fmd/model/event.h"
#include "fmd/model/inventory.h"
#include "fmd/rules/rules.h"

namespace fmd {

class Engine {
 public:
  // new_uuid: called once per case; injected so that replays and tests are repeatable.
  Engine(std::shared_ptr<const RuleSet> rules, std::function<std::string()> new_uuid);
  ~Engine();

  // Open cases keep their copies. Rules about properties evaluate the inventory again in the next
  // call.
  void set_rules(std::shared_ptr<const RuleSet> rules);

  // Outlives the engine. May be slightly behind the inventory, which then still has a disk in the
  // bay that it has just left.
  void set_bay_history(const BayHistory* bays);

  // Earlier events of that source accuse and repair nothing (evidence_start.h). Before restore().
  void count_from(const std::string& source, int64_t from_ns);
  void count_others_from(int64_t from_ns);  // of every source without a time of its own

  void on_event(const Event& event, Moment now);
  std::vector<InventoryChange> on_inventory(const InventoryUpdate& update, Moment now);
  void on_time(Moment now);                         // holds that are over
  std::optional<int64_t> next_deadline_ns() const;  // steady: when on_time has something to do

  // An administrator's word. part: FMRI of the resource, ASRU or FRU ("" with a uuid: all
  // suspects); uuid "" : every open case with that part. Errors name what was not found.
  using Verdict = Judgement;
  Result<std::vector<std::string>> judge(Verdict verdict, std::string_view uuid,
                                         std::string_view part, std::string_view who, Moment now);
  // The faulty suspects that such a command is about. Same errors.
  Result<std::vector<Suspect>> meant_by(std::string_view uuid, std::string_view part) const;
  Result<void> acknowledge(std::string_view uuid, std::string_view who, std::string_view comment,
                           Moment now);
  // The reconciler's report. Adds a timeline entry unless text is empty. Moves SOLVED → CLOSE_WAIT
  // → CLOSED and REPAIRED → RESOLVED when due. Neither this nor set_owed() changes a RESOLVED case;
  // only note() still adds to its timeline.
  void record_action(std::string_view uuid, Action action, std::string_view text, Moment now);
  // How many give-backs the case owes now: it is RESOLVED only when there are none.
  void set_owed(std::string_view uuid, uint32_t owed, Moment now);
  void note(std::string_view uuid, std::string_view kind, std::string_view text, Moment now);

  const Inventory& inventory() const;
  const std::map<std::string, Case, std::less<>>& cases()
      const;  // open and recently resolved, by uuid
  const Case* find_case(std::string_view uuid) const;
  const CasesByAge& cases_by_age() const;       // the same
  const CasesByAge& open_cases_by_age() const;  // those that are not resolved
  // Unresolved cases that suspect the part, newest verdict first. The part is what is broken (resource),
  // what would be disabled (ASRU), what would be replaced (FRU), its present or last bay, or the group that
  // it belongs to, such as a pool. Indexed: the cost is that of the result.
  std::vector<const Case*> cases_by_resource(std::string_view fmri) const;
  std::vector<const Case*> cases_by_asru(std::string_view fmri) const;
  std::vector<const Case*> cases_by_fru(std::string_view fmri) const;
  std::vector<const Case*> cases_by_bay(std::string_view fmri) const;
  std::vector<const Case*> cases_by_group(std::string_view fmri) const;
  std::vector<SerdView> serd_engines() const;
  std::vector<HoldView> holds() const;
  std::optional<HeldFinding> held_finding(std::string_view uuid) const;  // of an UNSOLVED case

  // Possible causes, with odds, of what is wrong with a part ("": with any) or belongs to a case
  // (inference.h).
  std::vector<blame::Account> explanations_of_part(std::string_view fmri, Moment now) const;
  std::vector<blame::Account> explanations_of_case(std::string_view uuid, Moment now) const;

  // All changes with the checkpoint that records them, except mere readings.
  std::vector<StateRow> take_changes();
  // Without rows that the events since the last checkpoint would produce again. Cases with new evidence
  // are not among them: take_cases_due().
  std::vector<StateRow> take_decided();
  // The two halves of take_decided(). Rows of cases are large, so they are made once, after all changes.
  std::vector<StateRow> take_beside_cases();
  std::vector<StateRow> take_case_rows();
  bool has_case_rows() const;
  std::set<std::string>
  take_cases_due();  // whose rows became due since the last call; some may be gone
  std::vector<StateRow> rows_of(const std::string& resource) const;  // what is known of it
  // Rows of at most `most` parts whose readings alone have changed, in turn. For a commit that is made anyway.
  std::vector<StateRow> take_measured(size_t most);
  void write_out();                          // the next take_decided() has all of them
  std::vector<const Case*> take_going_on();  // cases with new evidence since the last call
  size_t uncounted() const;                  // approximate number of rows that were left out
  bool must_checkpoint() const;              // true: a restart now would count differently
  // All state counts as changed: the next take_changes() returns every row. For a store that had to
  // be replaced.
  void mark_all_changed();
  std::vector<CaseNews> take_news();
  struct Journal {
    using Each = std::function<void(const Event&, Moment)>;
    uint64_t last_seq = 0;
    // Hands out the events after that one, in order, with the moment that each was taken at.
    std::function<void(uint64_t after_seq, const Each&)> each_after;
  };
  // Once, before anything else. Rows of other kinds are passed over. A row that cannot be read is
  // left out, the rest is taken; the error names the first such row.
  Result<void> restore(const std::vector<StateRow>& rows, const Journal& journal);
  Result<void> restore(const std::vector<StateRow>& rows);
  void forget_case(
      std::string_view uuid);  // retention: a resolved case leaves memory (and its row)

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fmd
