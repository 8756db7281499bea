// Parses the `events` message as a tree (simdjson's DOM), with a separate cursor that extracts the
// payloads' text. The reference for the one-pass parser.
#include <fmt/format.h>

#include <array>

#include "fmd/base/on_demand.h"
#include "fmd/base/text.h"
#include "fmd/model/fmri.h"
#include "fmd/protocol/parse.h"
#include "fmd/protocol/tests/events_tree.h"

namespace fmd::protocol::tree {
namespace {

namespace dom = simdjson::dom;

constexpr size_t kDeepest = 32;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_class(std::string_view text) {
  if (text.empty() || text.size() > kMaxClass || text.front() == '.' || text.back() == '.')
    return false;
  for (const char c : text) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    if (!plain) return false;
  }
  return true;
}

// The characters that matter when a value is skipped.
constexpr std::array<bool, 256> kTurns = [] {
  std::array<bool, 256> turns{};
  for (const char c : {'"', '{', '}', '[', ']', ',', ' ', '\t', '\n', '\r'})
    turns[static_cast<unsigned char>(c)] = true;
  return turns;
}();

// Walks through valid JSON, member by member, in step with the DOM.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  void enter() {  // { or [
    skip_blanks();
    ++at_;
  }
  void to_value() {  // past a key and its colon
    next_item();
    skip_string();
    skip_blanks();
    ++at_;
  }
  void next_item() {  // past the comma
    skip_blanks();
    if (text_[at_] == ',') ++at_;
    skip_blanks();
  }
  void leave() {  // } or ]
    skip_blanks();
    ++at_;
  }
  size_t at() const { return at_; }
  std::string_view since(size_t start) const { return text_.substr(start, at_ - start); }
  // The value's text; has_blanks: white space between its tokens.
  std::string_view skip_value(bool& has_blanks) {
    skip_blanks();
    has_blanks = false;
    const size_t start = at_;
    size_t depth = 0;
    for (;; ++at_) {
      while (at_ < text_.size() && !kTurns[static_cast<unsigned char>(text_[at_])]) ++at_;
      if (at_ == text_.size()) break;
      const char c = text_[at_];
      if (c == '"') {
        skip_string();
        --at_;
        if (depth == 0) return upto(start, at_ + 1);
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if (c == '}' || c == ']') {
        if (depth == 0) break;  // end of the enclosing list or object
        if (--depth == 0) return upto(start, at_ + 1);
      } else if (depth == 0) {
        break;  // a comma or blank ends a number or word
      } else if (c != ',') {
        has_blanks = true;
      }
    }
    return upto(start, at_);
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  void skip_string() {
    for (;;) {
      at_ = text_.find('"', at_ + 1);
      size_t backslashes = 0;
      while (text_[at_ - 1 - backslashes] == '\\') ++backslashes;
      if (backslashes % 2 == 0) break;
    }
    ++at_;
  }
  std::string_view upto(size_t start, size_t end) {
    at_ = end;
    return text_.substr(start, end - start);
  }

  std::string_view text_;
  size_t at_ = 0;
};

bool too_deep(dom::element value, size_t depth) {
  if (depth > kDeepest) return true;
  dom::array array;
  if (!value.get(array)) {
    for (const dom::element item : array)
      if (too_deep(item, depth + 1)) return true;
    return false;
  }
  dom::object object;
  if (value.get(object)) return false;
  for (const auto& field : object)
    if (too_deep(field.value, depth + 1)) return true;
  return false;
}

// monostate for null, arrays and objects.
Value to_value(dom::element value) {
  switch (value.type()) {
    case dom::element_type::INT64:
      return int64_t{value};
    case dom::element_type::UINT64:
      return uint64_t{value};
    case dom::element_type::DOUBLE:
      return double{value};
    case dom::element_type::STRING:
      return std::string(std::string_view(value));
    case dom::element_type::BOOL:
      return bool{value};
    default:
      return {};
  }
}

// Reads one event; `reason` describes an error that concerns only this event.
class EventReader {
 public:
  void read(dom::object object, Cursor& cursor) {
    cursor.enter();
    for (const auto& field : object) {
      cursor.to_value();
      bool has_blanks = false;
      const std::string_view raw = cursor.skip_value(has_blanks);
      member(field.key, field.value, raw, has_blanks);
    }
    cursor.leave();
    if (!has_class_) refuse("\"class\" is missing");
    if (!has_resource_) refuse("\"resource\" is missing");
    if (!has_time_) refuse("\"time\" is missing");
    if (event.payload_json.empty()) event.payload_json = "{}";
  }

  Event event;
  std::string reason;

 private:
  void refuse(std::string what) {
    if (reason.empty()) reason = std::move(what);
  }

  void member(std::string_view key, dom::element value, std::string_view raw, bool has_blanks) {
    if (key == "payload") return set_payload(value, raw, has_blanks);
    if (key == "class") return set_class(to_value(value));
    if (key == "resource") return set_resource(to_value(value));
    if (key == "time") return set_time(to_value(value));
    if (key == "ena") set_ena(to_value(value));
  }

  void set_payload(dom::element value, std::string_view raw, bool has_blanks) {
    dom::object object;
    if (value.get(object)) return refuse("\"payload\" must be an object");
    if (too_deep(value, 1))
      return refuse(fmt::format("\"payload\" is nested more than {} deep", kDeepest));
    event.payload_json = has_blanks ? simdjson::minify(value) : std::string(raw);
    event.payload = Payload();
    for (const auto& field : object)
      // null means absent; an array or object is present, but not as a scalar.
      if (!field.value.is_null())
        event.payload.append(std::string(field.key), to_value(field.value));
  }

  void set_class(const Value& value) {
    has_class_ = true;
    const auto* text = std::get_if<std::string>(&value);
    if (!text || !is_class(*text))
      return refuse("\"class\" must be lower case words with dots between");
    event.event_class = *text;
  }

  void set_resource(const Value& value) {
    has_resource_ = true;
    const auto* text = std::get_if<std::string>(&value);
    if (!text || text->size() > kMaxFmri) return refuse("\"resource\" must be an FMRI");
    if (is_canonical_fmri(*text)) {
      event.resource = *text;
      return;
    }
    const Result<Fmri> fmri = Fmri::parse(*text);
    if (!fmri) return refuse(fmri.error().message);
    event.resource = fmri->str();
  }

  void set_time(const Value& value) {
    has_time_ = true;
    const auto* time = std::get_if<int64_t>(&value);
    if (!time || *time < 0) return refuse("\"time\" must be nanoseconds since the epoch");
    event.time_ns = *time;
  }

  void set_ena(const Value& value) {
    if (const auto* i = std::get_if<int64_t>(&value); i && *i >= 0)
      event.ena = static_cast<uint64_t>(*i);
    else if (const auto* u = std::get_if<uint64_t>(&value))
      event.ena = *u;
    else
      refuse("\"ena\" must be an unsigned number");
  }

  bool has_class_ = false, has_resource_ = false, has_time_ = false;
};

Result<void> read_events(dom::array array, Cursor& cursor, EventsMessage& out) {
  if (array.size() > kMaxEvents)
    return fail(fmt::format("events: more than {} in a batch", kMaxEvents));
  cursor.enter();
  size_t index = 0;
  for (const dom::element item : array) {
    cursor.next_item();
    dom::object object;
    if (item.get(object)) return fail(fmt::format("events: event {} is not an object", index));
    EventReader reader;
    const size_t begin = cursor.at();
    reader.read(object, cursor);
    if (reader.reason.empty())
      out.events.emplace_back(index, std::make_unique<Event>(std::move(reader.event)));
    else
      out.rejected.push_back({index, std::move(reader.reason), reader.event.event_class,
                              std::string(cursor.since(begin))});
    ++index;
  }
  cursor.leave();
  return {};
}

}  // namespace

Result<EventsMessage> parse_events(std::string_view params) {
  thread_local dom::parser parser;
  dom::element root;
  if (const auto error = parser.parse(params.data(), params.size()).get(root))
    return fail(fmt::format("events: not valid JSON: {}", simdjson::error_message(error)));
  dom::object object;
  if (root.get(object)) return fail("events: not a JSON object");
  EventsMessage out;
  bool has_events = false;
  Cursor cursor(params);
  cursor.enter();
  for (const auto& field : object) {
    cursor.to_value();
    bool has_blanks = false;
    dom::array array;
    if (field.key != "events") {
      cursor.skip_value(has_blanks);
    } else if (has_events || field.value.get(array)) {
      return fail("events: \"events\" must be one array");
    } else {
      if (const auto read = read_events(array, cursor, out); !read)
        return tl::unexpected(read.error());
      has_events = true;
    }
    if (field.key != "cursor" || field.value.is_null()) continue;
    std::string_view text;
    if (field.value.get(text)) return fail("events: \"cursor\" must be a string");
    out.cursor = std::string(text);
  }
  if (!has_events) return fail("events: \"events\" is missing");
  return out;
}

}  // namespace fmd::protocol::tree
