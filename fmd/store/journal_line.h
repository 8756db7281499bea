// Reads the journal's lines fast: the first bytes of a line decide most of a query, and only lines
// that may match are parsed as JSON. Internal to the store.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "fmd/base/result.h"
#include "fmd/model/event.h"

namespace fmd::store {

// Appends the event's line and its newline.
void append_line(const Event& event, std::string& out);

// What a line begins with as append_line() writes it.
struct LineHead {
  uint64_t seq = 0;
  std::string_view event_class, resource;
};
bool peek(std::string_view line, LineHead& head);  // false: it does not begin that way

// "" all; "a.b.*" what begins with "a.b."; else * and ? as in a shell. A pattern is held against each
// name once: what there is of classes is little, however many events there are.
// * any text, ? any one character; at most pattern times text steps.
bool matches_glob(std::string_view text, std::string_view pattern);

class ClassGlob {
 public:
  explicit ClassGlob(std::string_view glob);
  bool matches(std::string_view event_class) const;
  bool matches_all() const { return kind_ == Kind::all; }

 private:
  enum class Kind { all, exact, prefix, pattern } kind_;
  std::string text_;
  mutable std::map<std::string, bool, std::less<>> known_;
};

class LineParser {
 public:
  LineParser();
  ~LineParser();
  // line must be followed by kPadding readable bytes. Fills all of event but its payload members.
  Result<void> parse(std::string_view line, Event& event);
  static const size_t kPadding;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fmd::store
