// The `events` message. simdjson's on-demand parser checks only what is looked at; so everything is
// looked at: what goes into the journal is valid JSON.
#include <fmt/format.h>
#include <simdjson.h>

#include <cstring>

#include "fmd/core/fmri.h"
#include "fmd/core/protocol_parse.h"
#include "fmd/core/text.h"

namespace fmd::protocol {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;
using simdjson::SUCCESS;

constexpr int kDeepest = 32;

bool is_class_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

bool is_class(std::string_view text) {
  if (text.empty() || text.size() > kMaxClass || text.front() == '.' || text.back() == '.')
    return false;
  for (const char c : text)
    if (!is_class_char(c)) return false;
  return true;
}

error_code take_value(ondemand::value value, Value& out, int depth);

error_code walk_array(ondemand::array array, int depth) {
  Value ignored;
  for (auto item : array) {
    ondemand::value value;
    if (auto error = item.get(value)) return error;
    if (auto error = take_value(value, ignored, depth)) return error;
  }
  return SUCCESS;
}

error_code walk_object(ondemand::object object, int depth) {
  Value ignored;
  std::string_view key;
  for (auto item : object) {
    ondemand::field field;
    if (auto error = std::move(item).get(field)) return error;
    if (auto error = field.unescaped_key().get(key)) return error;
    if (auto error = take_value(field.value(), ignored, depth)) return error;
  }
  return SUCCESS;
}

error_code take_number(ondemand::value& value, Value& out) {
  ondemand::number number;
  if (auto error = value.get_number().get(number)) return error;
  if (number.is_int64())
    out = number.get_int64();
  else if (number.is_uint64())
    out = number.get_uint64();
  else
    out = number.get_double();
  return SUCCESS;
}

// A scalar into out; arrays, objects and null are looked through, out is monostate then.
error_code take_value(ondemand::value value, Value& out, int depth) {
  out = std::monostate();
  if (depth > kDeepest) return simdjson::DEPTH_ERROR;
  ondemand::json_type type;
  if (auto error = value.type().get(type)) return error;
  switch (type) {
    case ondemand::json_type::array: {
      ondemand::array array;
      if (auto error = value.get_array().get(array)) return error;
      return walk_array(array, depth + 1);
    }
    case ondemand::json_type::object: {
      ondemand::object object;
      if (auto error = value.get_object().get(object)) return error;
      return walk_object(object, depth + 1);
    }
    case ondemand::json_type::number:
      return take_number(value, out);
    case ondemand::json_type::string: {
      std::string_view text;
      if (auto error = value.get_string().get(text)) return error;
      out.emplace<std::string>(text);
      return SUCCESS;
    }
    case ondemand::json_type::boolean: {
      bool boolean = false;
      if (auto error = value.get_bool().get(boolean)) return error;
      out = boolean;
      return SUCCESS;
    }
    case ondemand::json_type::null: {
      bool null = false;
      if (auto error = value.is_null().get(null)) return error;
      return null ? SUCCESS : simdjson::N_ATOM_ERROR;
    }
  }
  return simdjson::TAPE_ERROR;
}

error_code take_payload(ondemand::object object, Event& event) {
  std::string_view raw;
  if (auto error = object.raw_json().get(raw)) return error;
  event.payload_json.resize(raw.size());
  size_t size = 0;
  if (auto error = simdjson::minify(raw.data(), raw.size(), event.payload_json.data(), size))
    return error;
  event.payload_json.resize(size);
  if (auto error = object.reset().error()) return error;
  std::string_view key;
  for (auto item : object) {
    ondemand::field field;
    if (auto error = std::move(item).get(field)) return error;
    if (auto error = field.unescaped_key().get(key)) return error;
    std::string name(key);
    ondemand::value inner = field.value();
    ondemand::json_type type;
    if (auto error = inner.type().get(type)) return error;
    Value value;
    if (auto error = take_value(inner, value, 1)) return error;
    // null is absence; an array or object is there, though not as a scalar.
    if (type != ondemand::json_type::null) event.payload.set(std::move(name), std::move(value));
  }
  return SUCCESS;
}

// Reads one event; `reason` says what is wrong with it alone.
class EventReader {
 public:
  error_code read(ondemand::object object) {
    std::string_view key;
    for (auto item : object) {
      ondemand::field field;
      if (auto error = std::move(item).get(field)) return error;
      if (auto error = field.unescaped_key().get(key)) return error;
      if (auto error = member(std::string(key), field.value())) return error;
    }
    if (!has_class_) refuse("\"class\" is missing");
    if (!has_resource_) refuse("\"resource\" is missing");
    if (!has_time_) refuse("\"time\" is missing");
    if (event.payload_json.empty()) event.payload_json = "{}";
    return SUCCESS;
  }

  Event event;
  std::string reason;

 private:
  void refuse(std::string what) {
    if (reason.empty()) reason = std::move(what);
  }

  error_code member(const std::string& key, ondemand::value value) {
    ondemand::json_type type;
    if (auto error = value.type().get(type)) return error;
    if (key == "payload" && type == ondemand::json_type::object) {
      ondemand::object payload;
      if (auto error = value.get_object().get(payload)) return error;
      return take_payload(payload, event);
    }
    Value scalar;
    if (auto error = take_value(value, scalar, 1)) return error;
    if (key == "class") set_class(scalar);
    if (key == "resource") set_resource(scalar);
    if (key == "time") set_time(scalar);
    if (key == "ena") set_ena(scalar);
    if (key == "payload") refuse("\"payload\" must be an object");
    return SUCCESS;
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

error_code take_events(ondemand::array array, EventsMessage& out, std::string& wrong) {
  size_t index = 0;
  for (auto item : array) {
    if (index >= kMaxEvents) {
      wrong = fmt::format("more than {} events in a batch", kMaxEvents);
      return simdjson::CAPACITY;
    }
    ondemand::object object;
    if (auto error = item.get_object().get(object)) {
      wrong = fmt::format("event {} is not an object", index);
      return error;
    }
    EventReader reader;
    if (auto error = reader.read(object)) {
      wrong = fmt::format("event {} is not valid JSON: {}", index, simdjson::error_message(error));
      return error;
    }
    if (reader.reason.empty())
      out.events.emplace_back(index, std::move(reader.event));
    else
      out.rejected.emplace_back(index, std::move(reader.reason));
    ++index;
  }
  return SUCCESS;
}

error_code take_message(ondemand::document& document, EventsMessage& out, std::string& wrong) {
  ondemand::object root;
  if (auto error = document.get_object().get(root)) return error;
  std::string_view key;
  bool has_events = false;
  for (auto item : root) {
    ondemand::field field;
    if (auto error = std::move(item).get(field)) return error;
    if (auto error = field.unescaped_key().get(key)) return error;
    if (key == "events") {
      ondemand::array array;
      if (field.value().get_array().get(array)) {
        wrong = "\"events\" must be an array";
        return simdjson::INCORRECT_TYPE;
      }
      if (auto error = take_events(array, out, wrong)) return error;
      has_events = true;
      continue;
    }
    const bool is_cursor = key == "cursor";
    Value value;
    if (auto error = take_value(field.value(), value, 1)) return error;
    if (!is_cursor || std::holds_alternative<std::monostate>(value)) continue;
    const auto* text = std::get_if<std::string>(&value);
    if (!text) {
      wrong = "\"cursor\" must be a string";
      return simdjson::INCORRECT_TYPE;
    }
    out.cursor = *text;
  }
  if (!document.at_end()) return simdjson::TRAILING_CONTENT;
  if (has_events) return SUCCESS;
  wrong = "\"events\" is missing";
  return simdjson::NO_SUCH_FIELD;
}

}  // namespace

Result<EventsMessage> parse_events(std::string_view params) {
  thread_local ondemand::parser parser;
  const simdjson::padded_string padded(params);
  ondemand::document document;
  EventsMessage out;
  std::string wrong;
  error_code error = parser.iterate(padded).get(document);
  if (!error) error = take_message(document, out, wrong);
  if (!error) return out;
  if (wrong.empty()) wrong = fmt::format("not valid JSON: {}", simdjson::error_message(error));
  return fail("events: " + wrong);
}

}  // namespace fmd::protocol
