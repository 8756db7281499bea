// The `events` message, in one pass over its text (simdjson on demand). Every value is looked at, so
// that what goes into the journal is valid JSON; the payload's own text is cut out of the message,
// and of its members only those are made values that somebody asks for. tests/ has the same by way
// of a whole tree, and holds the two against each other.
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/model/fmri.h"
#include "fmd/protocol/parse.h"

namespace fmd::protocol {
namespace {

namespace ondemand = simdjson::ondemand;
using ondemand::json_type;
using simdjson::error_code;
using simdjson::SUCCESS;

constexpr size_t kDeepest = 32;        // of a payload
constexpr size_t kDeepestText = 1000;  // of a message

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

// A value as it was read; a text is the parser's, until the next message.
struct Scalar {
  ValueKind kind = ValueKind::compound;
  bool null = false;
  union {
    bool boolean;
    int64_t whole;
    uint64_t large;
    double real = 0;
  };
  std::string_view text;

  const std::string_view* as_text() const { return kind == ValueKind::string ? &text : nullptr; }
  bool is_natural() const { return kind == ValueKind::natural; }
  // monostate for null, arrays and objects.
  Value to_value() const {
    switch (kind) {
      case ValueKind::boolean:
        return boolean;
      case ValueKind::negative:
      case ValueKind::natural:
        return whole;
      case ValueKind::large:
        return large;
      case ValueKind::real:
        return real;
      case ValueKind::string:
        return std::string(text);
      case ValueKind::compound:
        break;
    }
    return {};
  }
};

error_code read_number(ondemand::value& value, Scalar& out) {
  ondemand::number number;
  if (const auto error = value.get_number().get(number)) return error;
  if (number.is_int64()) {
    out.whole = number.get_int64();
    out.kind = out.whole < 0 ? ValueKind::negative : ValueKind::natural;
  } else if (number.is_uint64()) {
    out.large = number.get_uint64();
    out.kind = ValueKind::large;
  } else {
    // Not by simdjson, which up to 3.0 says something else where there are more than 19 digits.
    const std::string_view token = value.raw_json_token();
    out.kind = ValueKind::real;
    out.real = 0;  // stays so where it is nearer to 0 than a double can be
    std::from_chars(token.data(), token.data() + token.size(), out.real);
  }
  return SUCCESS;
}

// Reads a value to its end. deepest: how deep it goes, where it is itself counted.
error_code read(ondemand::value value, size_t depth, size_t& deepest, Scalar& out) {
  deepest = std::max(deepest, depth);
  if (depth > kDeepestText) return simdjson::DEPTH_ERROR;
  json_type type;
  if (const auto error = value.type().get(type)) return error;
  switch (type) {
    case json_type::string:
      out.kind = ValueKind::string;
      return value.get_string().get(out.text);
    case json_type::number:
      return read_number(value, out);
    case json_type::boolean:
      out.kind = ValueKind::boolean;
      return value.get_bool().get(out.boolean);
    case json_type::null: {
      if (const auto error = value.is_null().get(out.null)) return error;
      return out.null ? SUCCESS : simdjson::N_ATOM_ERROR;
    }
    case json_type::array: {
      ondemand::array array;
      if (const auto error = value.get_array().get(array)) return error;
      for (auto&& item : array) {
        ondemand::value inner;
        if (const auto error = std::move(item).get(inner)) return error;
        Scalar ignored;
        if (const auto error = read(inner, depth + 1, deepest, ignored)) return error;
      }
      return SUCCESS;
    }
    case json_type::object: {
      ondemand::object object;
      if (const auto error = value.get_object().get(object)) return error;
      for (auto&& item : object) {
        ondemand::field field;
        std::string_view key;
        if (const auto error = std::move(item).get(field)) return error;
        if (const auto error = field.unescaped_key().get(key)) return error;
        Scalar ignored;
        if (const auto error = read(field.value(), depth + 1, deepest, ignored)) return error;
      }
      return SUCCESS;
    }
  }
  return simdjson::TAPE_ERROR;
}

// Text without the white space between its tokens.
std::string minified(std::string_view text) {
  std::string out(text.size(), '\0');
  size_t size = 0;
  if (simdjson::minify(text.data(), text.size(), out.data(), size)) size = 0;
  out.resize(size);
  return out;
}

// From there to where the parser stands: what it has just read.
error_code text_since(ondemand::document& document, const char* begin, std::string_view& out) {
  const char* end = nullptr;
  if (const auto error = document.current_location().get(end)) return error;
  out = {begin, static_cast<size_t>(end - begin)};
  while (!out.empty() &&
         (out.back() == ' ' || out.back() == '\t' || out.back() == '\r' || out.back() == '\n'))
    out.remove_suffix(1);
  return SUCCESS;
}

// Reads one event; `reason` says what is wrong with it alone.
class EventReader {
 public:
  EventReader(ondemand::document& document, const EventInterest& interest, GivenMembers& given)
      : document_(document), interest_(interest), given_(given) {
    given_.clear();
  }

  error_code read_all(ondemand::object object) {
    for (auto&& item : object) {
      ondemand::field field;
      std::string_view key;
      if (const auto error = std::move(item).get(field)) return error;
      if (const auto error = field.unescaped_key().get(key)) return error;
      if (const auto error = member(key, field.value())) return error;
    }
    if (!has_class_) refuse("\"class\" is missing");
    if (!has_resource_) refuse("\"resource\" is missing");
    if (!has_time_) refuse("\"time\" is missing");
    if (event.payload_json.empty()) event.payload_json = "{}";
    return SUCCESS;
  }

  // By the schema; "" nothing.
  std::string trouble() const {
    if (!interest_.schema) return {};
    const auto checked = interest_.schema->check(event.event_class, given_);
    return checked ? std::string() : checked.error().message;
  }

  Event event;
  std::string reason;

 private:
  void refuse(std::string what) {
    if (reason.empty()) reason = std::move(what);
  }

  error_code member(std::string_view key, ondemand::value value) {
    if (key == "payload") return set_payload(value);
    Scalar scalar;
    size_t deepest = 0;
    if (const auto error = read(value, 1, deepest, scalar)) return error;
    if (key == "class")
      set_class(scalar);
    else if (key == "resource")
      set_resource(scalar);
    else if (key == "time")
      set_time(scalar);
    else if (key == "ena")
      set_ena(scalar);
    return SUCCESS;
  }

  error_code set_payload(ondemand::value value) {
    json_type type;
    if (const auto error = value.type().get(type)) return error;
    size_t deepest = 1;
    if (type != json_type::object) {
      refuse("\"payload\" must be an object");
      Scalar ignored;
      return read(value, 1, deepest, ignored);
    }
    const char* const begin = value.raw_json_token().data();
    ondemand::object object;
    if (const auto error = value.get_object().get(object)) return error;
    given_.clear();
    event.payload = Payload();
    for (auto&& item : object) {
      ondemand::field field;
      std::string_view key;
      Scalar scalar;
      if (const auto error = std::move(item).get(field)) return error;
      if (const auto error = field.unescaped_key().get(key)) return error;
      if (const auto error = read(field.value(), 2, deepest, scalar)) return error;
      if (scalar.null) continue;  // absence; an array or object is there, though not as a scalar
      if (interest_.schema) given_.emplace_back(key, scalar.kind);
      if (!interest_.members || interest_.members->contains(key))
        event.payload.append(std::string(key), scalar.to_value());
    }
    std::string_view text;
    if (const auto error = text_since(document_, begin, text)) return error;
    if (deepest > kDeepest)
      refuse(fmt::format("\"payload\" is nested more than {} deep", kDeepest));
    else
      event.payload_json = minified(text);
    return SUCCESS;
  }

  void set_class(const Scalar& value) {
    has_class_ = true;
    const auto* text = value.as_text();
    if (!text || !is_class(*text))
      return refuse("\"class\" must be lower case words with dots between");
    event.event_class = *text;
  }

  void set_resource(const Scalar& value) {
    has_resource_ = true;
    const auto* text = value.as_text();
    if (!text || text->size() > kMaxFmri) return refuse("\"resource\" must be an FMRI");
    if (is_canonical_fmri(*text)) {
      event.resource = *text;
      return;
    }
    const Result<Fmri> fmri = Fmri::parse(*text);
    if (!fmri) return refuse(fmri.error().message);
    event.resource = fmri->str();
  }

  void set_time(const Scalar& value) {
    has_time_ = true;
    if (!value.is_natural()) return refuse("\"time\" must be nanoseconds since the epoch");
    event.time_ns = value.whole;
  }

  void set_ena(const Scalar& value) {
    if (value.is_natural())
      event.ena = static_cast<uint64_t>(value.whole);
    else if (value.kind == ValueKind::large)
      event.ena = value.large;
    else
      refuse("\"ena\" must be an unsigned number");
  }

  ondemand::document& document_;
  const EventInterest& interest_;
  GivenMembers& given_;
  bool has_class_ = false, has_resource_ = false, has_time_ = false;
};

// Reads the whole message; `wrong` says what is wrong with it, unless it is not JSON at all.
class MessageReader {
 public:
  explicit MessageReader(const EventInterest& interest) : interest_(interest) {}

  error_code read_all(ondemand::document& document) {
    ondemand::object object;
    if (const auto error = document.get_object().get(object)) {
      if (error == simdjson::INCORRECT_TYPE) return is_wrong("events: not a JSON object");
      return error;
    }
    for (auto&& item : object) {
      ondemand::field field;
      std::string_view key;
      if (const auto error = std::move(item).get(field)) return error;
      if (const auto error = field.unescaped_key().get(key)) return error;
      const auto error =
          key == "events" ? events(document, field.value()) : member(key, field.value());
      if (error || !wrong.empty()) return error;
    }
    const char* rest = nullptr;
    if (document.current_location().get(rest) != simdjson::OUT_OF_BOUNDS)
      return is_wrong("events: something follows the JSON object");
    if (!has_events_) return is_wrong("events: \"events\" is missing");
    return SUCCESS;
  }

  EventsMessage out;
  std::string wrong;

 private:
  error_code is_wrong(std::string what) {
    wrong = std::move(what);
    return SUCCESS;
  }

  error_code member(std::string_view key, ondemand::value value) {
    Scalar scalar;
    size_t deepest = 0;
    if (const auto error = read(value, 1, deepest, scalar)) return error;
    if (key != "cursor" || scalar.null) return SUCCESS;
    const auto* text = scalar.as_text();
    if (!text) return is_wrong("events: \"cursor\" must be a string");
    out.cursor = std::string(*text);
    return SUCCESS;
  }

  error_code events(ondemand::document& document, ondemand::value value) {
    json_type type;
    if (const auto error = value.type().get(type)) return error;
    if (std::exchange(has_events_, true) || type != json_type::array)
      return is_wrong("events: \"events\" must be one array");
    ondemand::array array;
    if (const auto error = value.get_array().get(array)) return error;
    size_t index = 0;
    for (auto&& item : array) {
      ondemand::value one;
      if (const auto error = std::move(item).get(one)) return error;
      if (index == kMaxEvents)
        return is_wrong(fmt::format("events: more than {} in a batch", kMaxEvents));
      if (const auto error = event(document, index, one)) return error;
      if (!wrong.empty()) return SUCCESS;
      ++index;
    }
    return SUCCESS;
  }

  error_code event(ondemand::document& document, size_t index, ondemand::value value) {
    json_type type;
    if (const auto error = value.type().get(type)) return error;
    if (type != json_type::object)
      return is_wrong(fmt::format("events: event {} is not an object", index));
    const char* const begin = value.raw_json_token().data();
    ondemand::object object;
    if (const auto error = value.get_object().get(object)) return error;
    EventReader reader(document, interest_, given_);
    if (const auto error = reader.read_all(object)) return error;
    if (!reader.reason.empty()) {
      std::string_view raw;
      if (const auto error = text_since(document, begin, raw)) return error;
      out.rejected.push_back(
          {index, std::move(reader.reason), reader.event.event_class, std::string(raw)});
      return SUCCESS;
    }
    if (std::string why = reader.trouble(); !why.empty())
      out.unfit.emplace_back(index, std::move(why));
    out.events.emplace_back(index, std::move(reader.event));
    return SUCCESS;
  }

  const EventInterest& interest_;
  GivenMembers given_;
  bool has_events_ = false;
};

}  // namespace

Result<EventsMessage> parse_events(std::string_view params, const EventInterest& interest) {
  thread_local ondemand::parser parser;
  thread_local std::string buffer;
  buffer.assign(params);
  buffer.append(simdjson::SIMDJSON_PADDING, '\0');
  const simdjson::padded_string_view padded(buffer.data(), params.size(), buffer.size());
  ondemand::document document;
  MessageReader reader(interest);
  error_code error = parser.iterate(padded).get(document);
  if (!error) error = reader.read_all(document);
  if (error) return fail(fmt::format("events: not valid JSON: {}", simdjson::error_message(error)));
  if (!reader.wrong.empty()) return fail(std::move(reader.wrong));
  return std::move(reader.out);
}

std::string raw_event(const Event& event) {
  const auto quoted = [](const std::string& text) { return dump_json(nlohmann::json(text)); };
  return fmt::format(R"({{"class":{},"resource":{},"time":{},"ena":{},"payload":{}}})",
                     quoted(event.event_class), quoted(event.resource), event.time_ns, event.ena,
                     event.payload_json.empty() ? "{}" : event.payload_json);
}

}  // namespace fmd::protocol
