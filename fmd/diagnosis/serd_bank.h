// SerdBank: all SERD engines (serd.h), one per rule and resource, created by the first error that
// counts. N and T are the rule's, unless the resource or its nearest ancestor along `redundancy`
// has values of its own (count_property, within_property). Those are read again when the inventory
// has changed, and may come later than the errors that they make sufficient. An engine that has
// fired is silent until it is reset: by a repair, by the rule, or by the loss of its case.
//
// Hot path: take() is one look-up and serialises nothing. Memory is bounded: irrelevant engines are
// removed when the number of engines doubles, and above kMost the oldest half of the counting ones
// too (a source may invent endless resources).
//
// Rows: "serd" (RULE FMRI), with "upto", the last event that they include. Mere counting is not
// written each time: recount() repeats it from the row and the journal's later events. Every other
// change (a new engine, one that has fired, other values of N or T, an error that turned out to be
// shared, a removed engine) is a row at once. Pure, single thread.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fmd/base/interned.h"
#include "fmd/diagnosis/known_errors.h"
#include "fmd/diagnosis/rule_key.h"
#include "fmd/diagnosis/serd.h"
#include "fmd/diagnosis/views.h"
#include "fmd/model/case.h"
#include "fmd/model/event.h"
#include "fmd/model/inventory.h"
#include "fmd/rules/rules.h"

namespace fmd {

// The time T of a SERD rule for that resource, ns: its own, where it has one.
int64_t window_of(const Rule& rule, const Inventory& inventory, const std::string& resource);

class SerdBank {
 public:
  static constexpr size_t kFirstSweep = 4096, kMost = 131072;
  using Counted =
      std::pair<uint32_t, std::string>;  // a rule (index) and a resource that it counts for

  explicit SerdBank(const Inventory& inventory) : inventory_(inventory) {}
  // Engines go with their rule; new counts and times are taken on with the next event.
  void set_rules(std::shared_ptr<const RuleSet> rules);

  // Counts an event for the rule (an index into the set), unless it says nothing about the resource.
  enum class Taken : uint8_t { no, counted, fires };
  Taken take(uint32_t rule, const Event& event, int64_t wall_ns);
  // Counts of that event's error that it has withdrawn, since the last call.
  std::vector<Counted> take_withdrawn() { return std::exchange(withdrawn_, {}); }
  // The same at start, for an event after that number that was counted before: nothing fires.
  void recount(uint32_t rule, const Event& event, int64_t wall_ns, uint64_t counted_to);
  // The events counted now; after a firing, those that caused it.
  std::vector<Evidence> evidence(uint32_t rule, std::string_view resource) const;
  // After a change of that resource: what its numbers make fire with what was counted before, where they are other
  // ones now. Its own and those of what lies below it.
  std::vector<Counted> renumber(const std::string& resource, int64_t wall_ns);
  std::vector<int64_t> times(uint32_t rule, std::string_view resource) const;  // counted, ns
  void disown(uint32_t rule, std::string_view resource, const std::vector<int64_t>& times_ns);
  template <class F>
  void for_each(const F& f) const {
    for (const auto& [resource, slots] : slots_)
      for (const Slot& slot : slots) f(Counted(slot.rule, resource));
  }
  void reset(std::string_view rule, std::string_view resource);
  void reset(std::string_view resource);                                   // all of that resource's
  void reset_of_fault(std::string_view fault, std::string_view resource);  // what would conclude it
  void sweep_if_due(int64_t wall_ns);  // after the events of a call
  std::vector<SerdView> view() const;  // by rule and resource

  // upto: the last event taken, 0 when a checkpoint goes with the rows.
  void take_changes(std::vector<StateRow>& rows, uint64_t upto = 0);
  void take_uncounted(std::vector<StateRow>& rows);  // the others, for a checkpoint
  size_t uncounted() const { return later_.size(); }
  void mark_all_changed();
  Result<void> restore(const StateRow& row);
  // After restore: resets engines that have fired for a resource without a case.
  template <class HasCase>
  void drop_silent(const HasCase& has_case) {
    std::vector<Interned> lost;
    for (const auto& [resource, slots] : slots_)
      if (!has_case(resource)) lost.push_back(resource);
    for (const Interned& resource : lost)
      drop(resource, [](const Slot& slot) { return slot.serd.fired(); });
  }

 private:
  enum class Due : uint8_t { no, later, now };  // to be written
  struct Slot {
    uint32_t rule = 0;  // index into rules_->rules()
    Serd serd{1, 0};
    uint64_t generation = UINT64_MAX;  // of the inventory that N and T were read from
    uint64_t upto = 0;                 // restored: the last event that is counted in
    Due due = Due::no;
    bool has_row = false;
  };
  using Slots = std::vector<Slot>;
  using OfPart = std::pair<const Interned, Slots>;  // of slots_
  struct Row {                                      // to be written
    Interned resource, rule;
  };

  const std::string& rule_name(const Slot& slot) const { return rules_->rules()[slot.rule].name; }
  static const Slot* slot_of(uint32_t rule, const Slots& slots);
  const Slot* find(uint32_t rule, std::string_view resource) const;
  bool may_know(uint32_t rule, uint32_t hash) const;
  void knows_now(uint32_t rule, uint32_t hash);
  void learn_known();
  bool is_shared(uint32_t rule, std::string_view resource, uint32_t hash);
  bool find_that_know(uint32_t rule, std::string_view part, uint32_t hash);
  std::optional<uint64_t> own_number(const std::string& resource,
                                     const std::string& property) const;
  bool configure(Slot& slot, const Interned& resource);  // true: it has other numbers now
  void mark(Slot& slot, const Interned& resource, Due due = Due::now);
  struct Content {  // what an event says, as a rule counts
    uint32_t hash = 0;
    bool counts = false, one_error = false, supersedes = false;
  };
  Content content_of(const Rule& rule, const Event& event) const;
  Taken count(Slot& slot, const Event& event, const Content& content, int64_t wall_ns);
  template <class Which>
  void drop(std::string_view resource, const Which& which) {
    const auto at = slots_.find(resource);
    if (at == slots_.end()) return;
    count_ -= std::erase_if(at->second, [&](Slot& slot) {
      if (!which(slot)) return false;
      mark(slot, at->first);
      return true;
    });
    if (!at->second.empty()) return;
    last_ = nullptr;
    slots_.erase(at);
  }
  template <class Which>
  void drop_everywhere(const Which& which);
  Slots& slots_of(const Interned& resource);  // none yet: an empty one
  Slot* find_slot(uint32_t rule, std::string_view resource);
  StateRow row(const Row& key, uint64_t upto);
  const std::string& write(const Serd& serd, uint64_t upto);
  uint32_t tag_of(const Interned& event_class);
  Interned class_name(uint32_t tag) const;

  const Inventory& inventory_;
  std::shared_ptr<const RuleSet> rules_;
  std::unordered_map<Interned, Slots, InternedHash, std::equal_to<>> slots_;  // by resource
  OfPart* last_ = nullptr;                                                    // asked for
  size_t count_ = 0;
  KnownErrors known_;  // of the rules with culprits_at_most
  bool sweep_due_ = false;
  std::set<std::string, std::less<>>
      number_names_;                   // count_property and within_property, of all rules
  std::vector<Interned> rule_names_;   // of the rules
  std::vector<Interned> class_names_;  // Serd::Entry::tag → event class
  std::unordered_map<Interned, uint32_t, InternedHash> tags_;
  uint32_t last_tag_ = 0;         // asked for
  std::vector<Row> now_, later_;  // rows to be written
  std::vector<Counted> withdrawn_;
  // Room that is used again: in a storm these are asked for with each event, or written by the thousand.
  std::vector<std::string_view> below_;
  std::vector<OfPart*> knowing_;
  std::vector<uint32_t> written_tags_;
  std::string written_;
};

}  // namespace fmd
