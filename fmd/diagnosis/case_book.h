// CaseBook: the cases by uuid, and the parts that they are about.
//
// Cases that are not resolved are indexed by each name of their suspects: the resource, the ASRU,
// the FRU, the bay, the ASRU's group (its property `group`, such as a pool), and the classes of
// events that repair it (as in RepairOn). An UNSOLVED case has no suspect yet; it is indexed by the
// resource that it waits for. A faulty suspect without a FRU is indexed under the FRU "", to find
// the cases that still need one. Call touch() after a change of a suspect, and regroup() after the
// inventory has changed a group. A resolved case has no index entries; only its timeline still gets
// notes.
//
// All cases, and the unresolved ones, are also listed in the order in which they were opened, for
// pages of a list.
//
// The book also keeps the consequences of changes: rows, news (one per case and call: the latest
// stage), and the time at which quiet ends a case (Case::repair_after_ns).
//
// Rows: "case" and "evidence" (uuid), with "upto", the last event that they include. In a storm
// each commit adds evidence to the same open cases; it is written only with a checkpoint, and
// restored from the later events in the journal. Pure, single thread. A Case* is valid until the
// case is discarded or forgotten; the list of a look-up, until the next change of a case.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fmd/base/deadlines.h"
#include "fmd/base/interned.h"
#include "fmd/base/moment.h"
#include "fmd/base/state_row.h"
#include "fmd/diagnosis/views.h"
#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd {

class CaseBook {
 public:
  enum class By { resource, asru, fru, bay, group, event };
  using Cases = std::map<std::string, Case, std::less<>>;
  using List = std::vector<Case*>;  // by uuid

  explicit CaseBook(const Inventory& inventory) : inventory_(inventory) {}

  void begin(Moment now) { now_ = now; }  // of a call: the time of all that it changes
  void end();                             // its news are complete

  const Cases& all() const { return cases_; }
  const CasesByAge& all_by_age() const { return by_age_; }
  const CasesByAge& open_by_age() const { return open_by_age_; }
  Case* find(std::string_view uuid);
  const Case* find(std::string_view uuid) const;
  const List& by(By name, std::string_view fmri) const;
  const List& about(const Interned& resource) const;  // as by(By::resource), for each event
  bool any_repaired_by(std::string_view event_class) const;
  List open_cases();  // all that are not resolved: for a person's word, not for events

  Case& open(std::string uuid, const std::string& resource);  // UNSOLVED, about that resource
  void discard(Case& c);                                      // as if it had never been
  bool forget(std::string_view uuid);  // a resolved one leaves memory and rows

  void touch(Case& c);                                              // it has changed
  void say(Case& c, std::string_view kind, std::string_view text);  // on its timeline; touches
  void tell(std::string event, const Case& c);                      // news
  bool add_evidence(Case& c, const Evidence& evidence);
  // The same at start, unless the case's rows contain it.
  void recount_evidence(Case& c, const Evidence& evidence);
  void goes_on(Case& c);  // restarts its quiet time
  void resolve(Case& c, std::string_view kind, std::string_view text);
  void regroup(std::string_view asru);

  bool any_touched() const { return !touched_.empty(); }
  // Cases touched since the last call; some may no longer exist.
  std::set<std::string> take_touched() { return std::exchange(touched_, {}); }
  void touch_all() {
    for (const auto& [uuid, names] : filed_) touched_.insert(uuid);
  }

  std::optional<int64_t> next_quiet_ns() const { return quiet_.next(); }  // steady
  Case* take_quiet();  // one that has been quiet for as long as it takes

  std::vector<CaseNews> take_news();
  std::vector<const Case*> take_going_on();  // with new evidence, each once
  // Cases whose rows have become due since the last call; some may no longer exist.
  std::set<std::string> take_due() { return std::exchange(due_, {}); }
  bool has_rows() const { return !dirty_cases_.empty() || !dirty_evidence_.empty(); }
  // upto: the last event taken, 0 when a checkpoint goes with the rows.
  void take_changes(std::vector<StateRow>& rows, uint64_t upto = 0);
  void take_uncounted(std::vector<StateRow>& rows);  // the other evidence, for a checkpoint
  size_t uncounted() const { return uncounted_.size(); }
  void mark_all_changed();
  Result<void> restore(const StateRow& row);  // a case
  // After all cases. counted_to: the last checkpoint.
  Result<void> restore_evidence(const StateRow& row, uint64_t counted_to = UINT64_MAX);
  void recounted() { restored_up_to_.clear(); }  // all evidence has been counted again
  // After restore: cases of an fmd that did not store Case::replaces.
  std::vector<std::string> take_without_order() { return std::exchange(without_order_, {}); }
  // After restore: an UNSOLVED case and the resource that it waits for.
  void file_waiting(Case& c, const std::string& resource);
  void file_restored();  // all others

 private:
  static constexpr size_t kNames = 6;
  using Name = std::pair<By, std::string>;
  using Index = std::unordered_map<Interned, List, InternedHash, std::equal_to<>>;

  // With new evidence, each once: with each event, so without a look-up (Case::goes_on, uncounted).
  static List take_marked(List& marked, bool Case::*mark);

  std::set<Name> names_of(const Case& c) const;
  void file(Case& c);
  void take_out(Case& c);
  void refile(Case& c, const std::set<Name>& names);
  void has_changed(const std::string& uuid);
  void set_quiet(const Case& c);
  void lasts(Case& c);

  const Inventory& inventory_;
  Moment now_;
  Cases cases_;
  CasesByAge by_age_, open_by_age_;
  std::array<Index, kNames> index_;
  // The last query of about(): each event repeats it.
  mutable Interned asked_for_;
  mutable const List* answer_ = nullptr;
  std::map<std::string, std::set<Name>, std::less<>> filed_;  // what each is in the index by
  std::map<std::string, std::string, std::less<>> waiting_;   // UNSOLVED case → resource
  Deadlines<std::string> quiet_;
  std::vector<CaseNews> call_news_, news_;
  std::set<std::string> dirty_cases_, dirty_evidence_;
  std::set<std::string> due_, touched_;
  List uncounted_, going_on_;                                    // as they came
  std::map<std::string, uint64_t, std::less<>> restored_up_to_;  // by case: what its rows hold
  std::vector<std::string> without_order_;
};

// The case that was solved first; uuids decide between equals.
bool is_earlier(const Case& a, const Case& b);

}  // namespace fmd
