// EventSchema: the declared event classes and their typed members, from schemas/events/*.toml.
// Checked on input: an unknown class, a missing required member or a wrong type is rejected with a
// reason. Undeclared members are accepted, and kept only in payload_json. Format:
// schemas/events/README.md.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/base/source_file.h"
#include "fmd/model/event.h"
#include "fmd/model/vocabulary.h"

namespace fmd {

// True when pattern is that class, or ends in ".*" and the class is below it ("a.b.*": a.b.c,
// a.b.c.d).
bool class_matches(std::string_view pattern, std::string_view event_class);

enum class MemberType { boolean, i64, u64, f64, string, array, object, any };

// Type of a member, as declarations need it: natural and negative fit an int64_t, large only a
// uint64_t; compound is an array or object.
enum class ValueKind : uint8_t { boolean, negative, natural, large, real, string, compound };
inline constexpr uint8_t kEveryKind = (2 << static_cast<uint8_t>(ValueKind::compound)) - 1;
ValueKind kind_of(const Value& value);
// The members of a payload in the order in which they came; one that is null is none.
using GivenMembers = std::vector<std::pair<std::string_view, ValueKind>>;

struct EventClass {
  std::string name;  // may end in ".*"
  std::string description;
  struct Member {
    std::string name;
    MemberType type;
    bool required;
  };
  std::vector<Member> members;

  // Shapes of the last events of the class: a source repeats one shape, whose checks need not be
  // repeated. A cache, for one thread.
  struct Shape {
    std::vector<Interned> names;    // of the members, in order
    std::vector<std::string> keys;  // the same as JSON has them: "name":
    std::vector<uint8_t> kinds;     // what each may be, a bit each
    bool fits(size_t member, ValueKind kind) const {
      return kinds[member] >> static_cast<uint8_t>(kind) & 1;
    }
  };
  mutable std::vector<Shape> shapes;
  mutable size_t next_shape = 0;
};

class EventSchema {
 public:
  static std::pair<EventSchema, std::vector<Error>> load(const std::vector<SourceFile>& files);
  const EventClass* find(
      std::string_view event_class) const;  // exact, else the longest ".*" that matches
  // Checks class and members; the message names the error and the nearest class.
  Result<void> check(const Event& event) const;
  Result<void> check(std::string_view event_class, const GivenMembers& given) const;
  std::vector<std::string> names() const;
  // The declared classes that a rule's pattern names: that class, or all below "x.y.*". An error
  // when there are none: a rule may not lean on a ".*" declaration, else its slips would pass for
  // classes.
  Result<std::vector<const EventClass*>> matching(std::string_view pattern) const;
  // Types of parts and their properties, from the same files.
  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  std::map<std::string, EventClass, std::less<>> classes_;
  Vocabulary vocabulary_;
};

}  // namespace fmd
