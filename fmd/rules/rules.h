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
enum class RuleKind { serd, immediate, cause, state, threshold, growth };

// When something is a fault. The FaultClass says what to do about it.
struct Rule {
  std::string name;
  RuleKind kind = RuleKind::serd;
  std::string file;
  int line = 0;
  // The input.
  std::vector<std::string> events;  // classes; a trailing ".*" matches all subclasses
  // Members of the event; for a condition, properties of the resource.
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
  std::string counter;                  // serd, growth: name of what is counted
  double by = 0;                        // growth: over the baseline; infinity: first_above alone
  std::optional<double> first_above;    // growth: fires on the first value already above this
  // serd; growth: 0 or the time that its baseline is of
  uint64_t count = 0;
  int64_t within_ns = 0;
  std::string count_property, within_property;  // override from the resource or its nearest
                                                // redundancy ancestor; within in seconds
  bool by_ena = false;                          // serd: events of one ENA are one error
  // serd: requires this many different values of this member, including the newest event's. "":
  // off.
  std::string distinct;
  // With `distinct`: a property of the resource, bytes per block. The values are then numbers of
  // 512-byte sectors, and all sectors of a block are one value. "": off.
  std::string distinct_block;
  // At most this many of the parts below the nearest redundancy ancestor with this property can
  // have caused the errors of one ENA. If more are named, none is counted.
  std::string culprits_property;
  // hold: waits this long after firing; an `unless` event on the same resource in that time cancels
  // the finding. cause: a finding that lasts less long is dropped if it may have a common cause.
  int64_t hold_ns = 0;
  std::vector<std::string> unless;
  // Extends the hold if the part has left meanwhile: the `unless` event may come later than udev's.
  int64_t hold_gone_ns = 0;
  std::vector<std::string> reset_on;  // events on the resource that reset the SERD engine
  bool unless_open = false;           // says nothing while another case about the same part is open
  // State: only while an open case asks to replace another part, which is still present.
  bool while_exchange = false;
  // State: fires only while an open case is about this very part, and the part to be replaced is
  // absent. Joins that case without a message.
  bool while_pulled = false;
  // State: properties of the bay that its disk has left, and that no other disk sits in. Once the bay
  // has said otherwise the rule keeps silent until the state is another.
  MemberValues where_bay;
  // State: says nothing while the bay that its disk has left has all these properties.
  MemberValues where_bay_not;
  // Does not fire while one of these graver faults of the same resource is open; a condition's rule
  // only until that case is acknowledged. Findings of event rules join that case.
  std::vector<std::string> unless_fault;
  bool gives_way_to(std::string_view graver) const;
  // Condition: fires only if one of these faults of the same resource is open, acknowledged or not.
  std::vector<std::string> while_fault;
  // Condition: says nothing while one of these faults is open about another part of the same machine
  // or enclosure: what two sources see is one case.
  std::vector<std::string> unless_elsewhere;
  // cause: a part that others share may explain that several of them fail. It is accused if that is
  // more likely than that each failed by itself (docs/dev/decisions/blame.md).
  std::vector<std::string> faults;    // findings about these parts
  std::vector<std::string> explains;  // do not accuse, but such a case explains them as well
  std::vector<std::string> part_types;
  std::vector<Relation> along;  // from the parts to what they share
  // Something that all parts of these types share although no relation says so, in words ("power
  // feed"); "": nothing.
  std::string in_common;
  double rate = 0.005;  // of the cause, per year
  double own = 0.02;    // rate at which such a part fails by itself, per year
  double share = 0;     // at least this share of the parts below must have failed
  // within_ns: the cause acts on all of them within this time; 0: within a day or so
  size_t kinds = 1;  // least number of kinds: a part's type, or its property `kind`
  // An open case with one of these faults about a part above explains a finding about this part,
  // regardless of other failures.
  std::vector<std::string> upstream;
  // If one of these faults is open about an ancestor with the same parts below, and had an event not
  // long ago, the verdict joins that case.
  std::vector<std::string> links;
  int64_t wait_ns = 0;  // how long the verdict on one waits for others
  // The fault ends after this time without evidence. Takes precedence over the fault's `after`.
  int64_t over_after_ns = 0;
  // The fault that it concludes. Lives as long as the rule set; never null after loading.
  const FaultClass* fault = nullptr;
  int certainty = 100;

  bool names(std::string_view fault_class) const;        // cause: among its faults
  bool concerns(std::string_view fault_class) const;     // cause: it names or explains it
  bool compares(std::string_view type) const;            // cause: among its parts' types
  bool is_of_disks() const { return compares("disk"); }  // cause: see diagnosis/veto.h
  bool is_of_events() const { return kind < RuleKind::cause; }
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
  RuleSet(const RuleSet&) = delete;  // last_ points into itself
  RuleSet& operator=(const RuleSet&) = delete;
  // errors non-empty ⇒ no rule set. tables, if given, gets every rule and fault as it is in force.
  static std::pair<std::shared_ptr<const RuleSet>, std::vector<Error>> load(
      const std::vector<SourceFile>& files, const EventSchema& schema,
      std::vector<EffectiveTable>* tables = nullptr);
  const std::vector<Rule>& rules() const { return rules_; }
  uint32_t index(const Rule& rule) const {
    return static_cast<uint32_t>(&rule - rules_.data());
  }  // one of rules()
  const Rule* find(std::string_view name) const;
  const FaultClass* fault(std::string_view name) const;
  // The rules of kind cause that such verdicts accuse by, or are explained by.
  const std::vector<const Rule*>& causes_of(std::string_view fault) const;
  bool is_upstream(std::string_view fault) const;  // of any of them
  const std::map<std::string, FaultClass, std::less<>>& faults() const { return faults_; }
  const ClassRoles& roles(const Interned& event_class) const;  // valid until the next call (cached)
  const std::vector<uint32_t>& for_type(std::string_view resource_type) const;  // conditions
  struct Ignored {  // a key of an earlier release
    std::string rule, key, file;
    int line = 0;
    std::string now = {};  // its value in this release, as in TOML; "": it has none
  };
  const std::vector<Ignored>& ignored() const { return ignored_; }
  // The members of events that rules, repairs or texts name: all that is looked at of a payload.
  std::vector<std::string> event_members() const;

 private:
  friend class RuleLoader;
  std::vector<Rule> rules_;
  std::vector<Ignored> ignored_;
  std::map<std::string, uint32_t, std::less<>> by_name_;
  std::map<std::string, std::vector<uint32_t>, std::less<>> by_type_;
  std::map<std::string, FaultClass, std::less<>> faults_;
  std::map<std::string, std::vector<const Rule*>, std::less<>> causes_of_;
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
// value(name) returns the text for a placeholder, ready to be shown.
std::string fill(std::string_view text, const std::function<std::string(std::string_view)>& value);
}  // namespace placeholders

}  // namespace fmd
