// Fast reading of journal lines: a line's first bytes usually decide whether it matches, and only
// possible matches are parsed as JSON. Internal to the store.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "fmd/base/result.h"
#include "fmd/model/event.h"

namespace fmd::store {

// Appends the event as a line, with its newline.
void append_line(const Event& event, std::string& out);

// The beginning of a line, as append_line() writes it.
struct LineHead {
  uint64_t seq = 0;
  std::string_view event_class, resource;
};
bool peek(std::string_view line, LineHead& head);  // false: another form

// "": all; "a.b.*": all that begin with "a.b."; otherwise * matches any text and ? any one
// character. ClassGlob matches each class name once, because there are few classes. matches_glob
// takes at most pattern × text steps.
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
  // line must be followed by kPadding readable bytes. Fills all of event except payload members.
  Result<void> parse(std::string_view line, Event& event);
  static const size_t kPadding;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fmd::store
