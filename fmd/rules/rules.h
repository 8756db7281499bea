// RuleSet: diagnosis-rules/*.toml read strictly. An unknown key, event class, relation or a wrong
// type is an error with file, line and the nearest valid name; all errors are listed, not only the
// first. The rule language is described in diagnosis-rules/README.md.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/base/source_file.h"
#include "fmd/model/case.h"
#include "fmd/model/event.h"
#include "fmd/model/event_schema.h"
#include "fmd/model/inventory.h"

namespace fmd {

inline constexpr uint64_t kMaxSerdCount = 65536;  // a larger `count` is refused: bounds the memory

enum class RuleKind { serd, immediate, state, threshold, growth };

struct Rule {
  std::string name;
  RuleKind kind = RuleKind::serd;
  std::string file;
  int line = 0;
  // What it looks at.
  std::vector<std::string> events;  // classes, a trailing ".*" matches what is below
  // Of the event; of a condition: properties of the resource.
  std::vector<std::pair<std::string, std::vector<Value>>> where;  // member is one of these values
  std::vector<std::pair<std::string, std::vector<Value>>>
      where_not;  // member is none of these values
  // Conditions: state, threshold, growth.
  std::string resource_type;  // resources of this type; "" for rules about events
  std::string property;       // their property
  std::vector<Value> values;  // state: one of these
  // threshold with hysteresis; offsets when the limit is a property of the resource
  std::optional<double> above, below, clear_above, clear_below;
  std::string above_property, below_property;
  double by = 0;                      // growth: over the baseline
  std::optional<double> first_above;  // growth: fires on the first value already above this
  // serd; growth: 0 or the time that its baseline is of
  uint64_t count = 0;
  int64_t within_ns = 0;
  std::string count_property, within_property;  // override from the resource or its nearest
                                                // redundancy ancestor; within in seconds
  // hold: wait that long after firing; an `unless` event on the same resource in that time cancels
  // it.
  int64_t hold_ns = 0;
  std::vector<std::string> unless;
  std::vector<std::string> reset_on;   // events on the resource that reset the SERD engine
  std::vector<std::string> repair_on;  // events on the resource that repair the case
  bool repair_when_clear = false;  // conditions: the case is repaired when the condition is gone
  int64_t repair_after_ns =
      0;                     // the case is repaired when no evidence came for that long; 0: never
  bool unless_open = false;  // says nothing while another case about the same part is open
  std::string repair_property;
  std::vector<Value> repair_values;
  // What it concludes.
  std::string fault_class;
  int certainty = 100;
  // FRU: first resource of fru_scheme below the ASRU along fru_relation, or above it.
  std::optional<Relation> fru_relation;
  std::string fru_scheme;
  bool fru_upwards = false;
  bool led = false;
  RetirePolicy retire;
};

struct Message {  // per fault class: the code and what people read
  std::string fault_class;
  std::string code;  // computed by diagcode from dictionary + number, or for self-made codes alike
  std::string severity;  // "Minor", "Major", "Critical"
  std::string title, description, response, impact,
      action;  // may hold {label} {serial} {model} {pool} {name} {count} {device}
};

// Which rules an event class plays a part in, as indices into RuleSet::rules().
struct ClassRoles {
  std::vector<uint32_t> evidence, unless, reset;
};

class RuleSet {
 public:
  // errors non-empty ⇒ no rule set.
  static std::pair<std::shared_ptr<const RuleSet>, std::vector<Error>> load(
      const std::vector<SourceFile>& files, const EventSchema& schema);
  const std::vector<Rule>& rules() const { return rules_; }
  const Rule* find(std::string_view name) const;
  const Message* message(std::string_view fault_class) const;
  // Rules that an event of this class may concern (cached per class).
  const std::vector<const Rule*>& for_class(std::string_view event_class) const;
  const ClassRoles& roles(
      std::string_view event_class) const;  // valid until the next call (cached)
  std::vector<uint32_t> for_type(std::string_view resource_type) const;  // conditions

 private:
  friend class RuleLoader;
  struct OfClass {
    ClassRoles roles;
    std::vector<const Rule*> rules;
  };
  const OfClass& of_class(std::string_view event_class) const;
  std::vector<Rule> rules_;
  std::map<std::string, Message, std::less<>> messages_;
  mutable std::map<std::string, OfClass, std::less<>> by_class_;
};

// Texts with {placeholders}. known() lists those that the engine fills in; {event.MEMBER} is a
// payload member of the event that convicted.
namespace placeholders {
const std::vector<std::string>& known();
std::vector<std::string> in(std::string_view text);  // the names, without braces, in order
// value(name) gives what stands for a placeholder, ready to be shown.
std::string fill(std::string_view text, const std::function<std::string(std::string_view)>& value);
}  // namespace placeholders

}  // namespace fmd
