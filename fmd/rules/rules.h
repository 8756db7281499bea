// RuleSet: diagnosis-rules/*.toml read strictly. An unknown key, event class, relation or a wrong
// type is an error with file, line and the nearest valid name; all errors are listed, not only the
// first. The rule language is described in diagnosis-rules/README.md. A set is for one thread:
// roles() fills a cache.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fmd/base/interned.h"
#include "fmd/base/result.h"
#include "fmd/base/source_file.h"
#include "fmd/model/event.h"
#include "fmd/model/event_schema.h"
#include "fmd/rules/fault_class.h"

namespace fmd {

inline constexpr uint64_t kMaxSerdCount = 65536;  // a larger `count` is refused: bounds the memory

// Events first, then verdicts of other rules, then conditions.
enum class RuleKind { serd, immediate, common, state, threshold, growth };

// What shows that parts fail for something in common: that it is their share of those below it, or that chance
// alone would not do it. Both: chance is asked only where others fail elsewhere.
enum class Proof { either, both };

// When something is a fault. What is done about it stands with the fault.
struct Rule {
  std::string name;
  RuleKind kind = RuleKind::serd;
  std::string file;
  int line = 0;
  // What it looks at.
  std::vector<std::string> events;  // classes, a trailing ".*" matches what is below
  // Of the event; of a condition: properties of the resource.
  MemberValues where;      // member is one of these values
  MemberValues where_not;  // member is none of these values
  // Conditions: state, threshold, growth.
  std::string resource_type;  // resources of this type; "" for rules about events
  std::string property;       // their property
  std::vector<Value> values;  // state: one of these
  // threshold with hysteresis; offsets when the limit is a property of the resource
  std::optional<double> above, below, clear_above, clear_below;
  std::string above_property, below_property;
  std::optional<double> above_at_most;  // above_property counts as this at most
  std::optional<double> up_to;          // beyond this another rule judges
  std::string counter;                  // serd, growth: what is counted, in words
  double by = 0;                        // growth: over the baseline; infinity: first_above alone
  std::optional<double> first_above;    // growth: fires on the first value already above this
  // serd; growth: 0 or the time that its baseline is of
  uint64_t count = 0;
  int64_t within_ns = 0;
  std::string count_property, within_property;  // override from the resource or its nearest
                                                // redundancy ancestor; within in seconds
  bool by_ena = false;                          // serd: events of one ENA are one error
  // serd: so many different values of this member, of which the newest event counts; "" none.
  std::string distinct;
  // With it: a property of the resource, bytes of a block. `distinct` is then a number of 512-byte sectors, and all
  // sectors of one block are one value. "" none.
  std::string distinct_block;
  // Of the parts of the nearest redundancy ancestor with this property, at most so many can be the
  // culprits of one ENA: when more are named, none is counted.
  std::string culprits_property;
  // hold: wait that long after firing; an `unless` event on the same resource in that time cancels
  // it. common: what has lasted less long is neither accused in common nor by itself where it may be in common.
  int64_t hold_ns = 0;
  std::vector<std::string> unless;
  // The hold is for what is found alone: where all others on the same path fail as well (a common rule), and
  // nothing elsewhere, it ends at once.
  bool hold_alone = false;
  // What is to be replaced has left by the end of the hold: so much longer, for whoever tells of it (`unless`) may
  // come later than the udev that said so.
  int64_t hold_gone_ns = 0;
  std::vector<std::string> reset_on;  // events on the resource that reset the SERD engine
  bool unless_open = false;           // says nothing while another case about the same part is open
  // State: only while an open case asks for another part's exchange, and that part is still there.
  bool while_exchange = false;
  // State: only while an open case is about that very part, and what it would have replaced is not
  // there; joins that case without a word to people.
  bool while_pulled = false;
  // State: properties of the bay that its disk has left, and that no other disk sits in. Once the bay
  // has said otherwise the rule keeps silent until the state is another.
  MemberValues where_bay;
  // State: says nothing while the bay that its disk has left has all these properties.
  MemberValues where_bay_not;
  // Says nothing while one of these graver faults stands against the same resource; a condition's rule
  // only until somebody has acknowledged that. What a rule about events has found gives way to it.
  std::vector<std::string> unless_fault;
  bool gives_way_to(std::string_view graver) const;
  // Condition: says nothing unless one of these faults stands against the same resource, acknowledged
  // or not.
  std::vector<std::string> while_fault;
  // Condition: says nothing while one of these faults is open about another part of the same machine
  // or enclosure: what two sources see is one case.
  std::vector<std::string> unless_elsewhere;
  // common: verdicts of these fault classes on so many (`count`) different parts of one type that hang
  // along these relations on one ancestor, found within `within_ns` of each other, accuse that.
  std::vector<std::string> faults;
  std::vector<std::string>
      explains;  // these accuse nobody, but are explained by such a case as well
  std::vector<std::string> part_types;
  std::vector<Relation> along;
  // What all parts of these types hang on though no relation tells it, in words ("power feed"); "" nothing.
  std::string in_common;
  double share = 0.5;  // of the parts below so many are enough, whatever chance says
  size_t kinds =
      1;  // they must be of so many: a part's type, and its property `kind` where it has one
  Proof proof = Proof::either;
  uint64_t undecided =
      0;  // so many below one part, too few to accuse it, are not decided; 0: count + 1
  size_t undecided_from() const { return undecided > 0 ? undecided : count + 1; }
  // An open one of these faults of what a part hangs on or sits in (upstream_along) explains what is found
  // about the part, whatever else fails.
  std::vector<std::string> upstream;
  std::vector<Relation> upstream_along;
  // Where one of these is open about what has the same parts below, and had a sign within links_within_ns,
  // that is the cause: the verdict joins its case.
  std::vector<std::string> links;
  int64_t links_within_ns = 0;
  int64_t wait_ns = 0;  // how long the verdict on one waits for others
  int64_t gather_ns =
      0;  // where there are enough of them already, too few to accuse what they hang on
  int64_t settle_ns =
      0;  // the cause is accused so long after there were enough: a wider one shows later
  // While others show signs that do not accuse yet, and with them there would be a cause, a finding waits so
  // long; 0: nobody looks at signs. begun: so many events towards a rule's count are one; 0: none are.
  int64_t signs_wait_ns = 0;
  uint64_t begun = 0;
  double well = 0;  // of the parts elsewhere at least this share must be well
  // More than `count` found within this time of each other are no chance, however many others below are well.
  int64_t at_once_ns = 0;
  // What is compared are the events that serd rules have counted: those of several parts within this time of each
  // other are one moment. The ancestor is accused when it has each of them in common, and the part alone when none.
  int64_t moment_ns = 0;
  // Nothing of it came for that long: it is over. Goes before the fault's own `after`.
  int64_t over_after_ns = 0;
  // What it concludes. Lives as long as the rule set; never null in one that has loaded.
  const FaultClass* fault = nullptr;
  int certainty = 100;

  bool names(std::string_view fault_class) const;  // common: among its faults
  bool compares(std::string_view type) const;      // common: among its parts' types
  bool recurs() const { return moment_ns > 0; }    // common: compares events, not findings
  bool is_of_events() const { return kind < RuleKind::common; }
  bool is_condition() const { return kind >= RuleKind::state; }  // looks at properties
};

// Which rules an event class plays a part in, as indices into RuleSet::rules().
struct ClassRoles {
  std::vector<uint32_t> evidence, unless, reset;
};

enum class RuleTable { rule, fault };

// A value of a [[rule]] or [[fault]] that is in force, for people.
struct EffectiveValue {
  std::string key;    // "count", "retire.to"
  std::string value;  // as in TOML
  std::string file;   // where it stands
  int line = 0;
  std::string instead_of;  // by an [[override]]: the value that it replaces, or "nothing"
};
struct EffectiveTable {
  RuleTable kind = RuleTable::rule;
  std::string name;
  bool enabled = true;
  std::string fault;  // that a rule concludes
  std::vector<EffectiveValue> values;
};

class RuleSet {
 public:
  RuleSet() = default;
  RuleSet(const RuleSet&) = delete;  // what was asked last is looked for in its own
  RuleSet& operator=(const RuleSet&) = delete;
  // errors non-empty ⇒ no rule set. tables, if given, gets every rule and fault as it is in force.
  static std::pair<std::shared_ptr<const RuleSet>, std::vector<Error>> load(
      const std::vector<SourceFile>& files, const EventSchema& schema,
      std::vector<EffectiveTable>* tables = nullptr);
  const std::vector<Rule>& rules() const { return rules_; }
  const Rule* find(std::string_view name) const;
  const FaultClass* fault(std::string_view name) const;
  // The rules of kind common that such verdicts accuse by, or are explained by.
  const std::vector<const Rule*>& common_of(std::string_view fault) const;
  bool is_upstream(std::string_view fault) const;  // of any of them
  const std::map<std::string, FaultClass, std::less<>>& faults() const { return faults_; }
  const ClassRoles& roles(const Interned& event_class) const;  // valid until the next call (cached)
  const std::vector<uint32_t>& for_type(std::string_view resource_type) const;  // conditions
  // The members of events that rules, repairs or texts name: all that is looked at of a payload.
  std::vector<std::string> event_members() const;

 private:
  friend class RuleLoader;
  std::vector<Rule> rules_;
  std::map<std::string, uint32_t, std::less<>> by_name_;
  std::map<std::string, std::vector<uint32_t>, std::less<>> by_type_;
  std::map<std::string, FaultClass, std::less<>> faults_;
  std::map<std::string, std::vector<const Rule*>, std::less<>> common_of_;
  std::set<std::string, std::less<>> upstream_;
  using ByClass = std::unordered_map<Interned, ClassRoles, InternedHash>;
  const ByClass::value_type& look_up(const Interned& event_class) const;
  mutable ByClass by_class_;
  mutable const ByClass::value_type* last_ = nullptr;  // in a storm mostly the next one's too
};

// Texts with {placeholders}. known() lists those that the engine fills in; {event.MEMBER} is a
// payload member of the event that convicted, {property.NAME} what the resource's property was then.
namespace placeholders {
const std::vector<std::string>& known();
std::vector<std::string> in(std::string_view text);  // the names, without braces, in order
// value(name) gives what stands for a placeholder, ready to be shown.
std::string fill(std::string_view text, const std::function<std::string(std::string_view)>& value);
}  // namespace placeholders

}  // namespace fmd
