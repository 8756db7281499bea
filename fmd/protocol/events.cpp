// Reads the `events` message in one pass (simdjson on demand; plain requests: plain_request.h).
// Visits every value, so that only valid JSON goes into the journal. The payload's text is copied
// from the message; only those of its members that are needed become values. tests/ compares it
// with a reader that builds a whole tree.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/base/text.h"
#include "fmd/model/fmri.h"
#include "fmd/protocol/events_request.h"
#include "fmd/protocol/expected_shape.h"
#include "fmd/protocol/lines.h"
#include "fmd/protocol/parse.h"
#include "fmd/protocol/plain_request.h"
#include "fmd/protocol/room.h"
#include "fmd/protocol/scalar.h"
#include "fmd/protocol/spare_events.h"

namespace fmd::protocol {
namespace {

namespace ondemand = simdjson::ondemand;
using ondemand::json_type;
using simdjson::error_code;
using simdjson::SUCCESS;

constexpr size_t kDeepest = 32;  // levels of a payload

// The text without white space between tokens.
std::string minified(std::string_view text) {
  std::string out(text.size(), '\0');
  size_t size = 0;
  if (simdjson::minify(text.data(), text.size(), out.data(), size)) size = 0;
  out.resize(size);
  return out;
}

bool is_at_end(ondemand::document& document) {
  const char* rest = nullptr;
  return document.current_location().get(rest) == simdjson::OUT_OF_BOUNDS;
}

// The text from `begin` to the parser's position.
error_code text_since(ondemand::document& document, const char* begin, std::string_view& out) {
  const char* end = nullptr;
  if (const auto error = document.current_location().get(end)) return error;
  out = {begin, static_cast<size_t>(end - begin)};
  while (!out.empty() &&
         (out.back() == ' ' || out.back() == '\t' || out.back() == '\r' || out.back() == '\n'))
    out.remove_suffix(1);
  return SUCCESS;
}

// Reads one event; `reason` describes an error that concerns only this event.
class EventReader {
 public:
  EventReader(ondemand::document& document, const EventInterest& interest, GivenMembers& given,
              ExpectedShape& expected)
      : document_(document), interest_(interest), given_(given), expected_(expected) {
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

  // Why the schema refuses it, or "".
  std::string trouble() const {
    if (!interest_.schema) return {};
    const auto checked = interest_.schema->check(event.event_class, given_);
    return checked ? std::string() : checked.error().message;
  }

  EventPtr taken = spare_events().take();
  Event& event = *taken;
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
    given_.clear();
    event.payload.clear();
    expected_.begin(interest_.schema && has_class_ ? interest_.schema->find(event.event_class)
                                                   : nullptr);
    // The parser skips the rest of the value.
    if (take_expected(begin)) return SUCCESS;
    ondemand::object object;
    if (const auto error = value.get_object().get(object)) return error;
    bool dense = true;
    for (auto&& item : object) {
      ondemand::field field;
      std::string_view key;
      Scalar scalar;
      if (const auto error = std::move(item).get(field)) return error;
      dense = dense && is_dense(field);
      const Interned* const name = expected_.name(given_.size(), field.key());
      if (name)
        key = *name;
      else if (const auto error = field.unescaped_key().get(key))
        return error;
      if (const auto error = read(field.value(), 2, deepest, scalar)) return error;
      if (scalar.null) continue;  // absent; arrays and objects are present, but not as scalars
      if (interest_.schema) given_.emplace_back(key, scalar.kind);
      if (!interest_.members || interest_.members->contains(key))
        event.payload.append(name ? *name : Interned(key), scalar.to_value());
    }
    std::string_view text;
    if (const auto error = text_since(document_, begin, text)) return error;
    if (deepest > kDeepest)
      refuse(fmt::format("\"payload\" is nested more than {} deep", kDeepest));
    else
      keep(text, dense);
    return SUCCESS;
  }

  bool take_expected(const char* begin) {
    const char* const end = expected_.read(begin);
    if (!end) return false;
    for (size_t i = 0; i < expected_.names().size(); ++i)
      given_.emplace_back(expected_.names()[i], expected_.members()[i].kind);
    for (const size_t i : expected_.asked_for(interest_.members))
      expected_.members()[i].put(event.payload.append(expected_.names()[i]));
    event.keep_payload({begin, end});
    return true;
  }

  // Whether there is no white space around this member: senders that use any use it everywhere.
  static bool is_dense(ondemand::field& field) {
    const char before = field.key().raw()[-2];  // the opening quote
    return (before == '{' || before == ',') && field.value().raw_json_token().data()[-1] == ':';
  }

  // Kept unchanged if it came without white space. No line breaks: it becomes part of a line.
  void keep(std::string_view text, bool dense) {
    if (dense && text.find('\n') == std::string_view::npos &&
        text.find('\r') == std::string_view::npos)
      event.keep_payload(text);
    else
      event.payload_json = minified(text);
  }

  void set_class(const Scalar& value) {
    has_class_ = true;
    const auto* text = value.as_text();
    if (!text || !is_class_text(*text))
      return refuse("\"class\" must be lower case words with dots between");
    event.event_class = *text;
  }

  void set_resource(const Scalar& value) {
    has_resource_ = true;
    const auto* text = value.as_text();
    if (!text || text->size() > kMaxFmri) return refuse("\"resource\" must be an FMRI");
    if (const Interned* known = known_resources().find(*text)) {
      event.resource = *known;
      return;
    }
    if (is_canonical_fmri(*text)) {
      event.resource = *text;
    } else {
      const Result<Fmri> fmri = Fmri::parse(*text);
      if (!fmri) return refuse(fmri.error().message);
      event.resource = fmri->str();
    }
    known_resources().keep(event.resource);
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
  ExpectedShape& expected_;
  bool has_class_ = false, has_resource_ = false, has_time_ = false;
};

// Reads the whole message; `wrong` says why valid JSON is no valid message.
class MessageReader {
 public:
  explicit MessageReader(const EventInterest& interest) : interest_(interest) {}

  // A message that consists only of params.
  error_code read_all(ondemand::document& document) {
    ondemand::object object;
    if (const auto error = document.get_object().get(object)) {
      if (error == simdjson::INCORRECT_TYPE) return is_wrong("events: not a JSON object");
      return error;
    }
    if (const auto error = read_params(document, object); error || !wrong.empty()) return error;
    if (!is_at_end(document)) return is_wrong("events: something follows the JSON object");
    return SUCCESS;
  }

  error_code read_params(ondemand::document& document, ondemand::object object) {
    for (auto&& item : object) {
      ondemand::field field;
      std::string_view key;
      if (const auto error = std::move(item).get(field)) return error;
      if (const auto error = field.unescaped_key().get(key)) return error;
      const auto error =
          key == "events" ? events(document, field.value()) : member(key, field.value());
      if (error || !wrong.empty()) return error;
    }
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
    EventReader reader(document, interest_, given_, expected_);
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
    out.events.emplace_back(index, std::move(reader.taken));
    return SUCCESS;
  }

  const EventInterest& interest_;
  GivenMembers given_;
  ExpectedShape expected_;
  bool has_events_ = false;
};

// Reads a request and its params in one pass. False: parse_rpc() must handle it and find any error.
class RequestReader {
 public:
  explicit RequestReader(const EventInterest& interest) : params_(interest) {}

  bool read_all(ondemand::document& document) {
    ondemand::object object;
    if (document.get_object().get(object)) return false;
    for (auto&& item : object) {
      ondemand::field field;
      if (std::move(item).get(field)) return false;
      if (!member(document, field)) return false;
    }
    return version_ && has_params_ && is_at_end(document);
  }

  EventsRequest taken() && { return {id_, std::move(params_.out)}; }

 private:
  // Each member once, and params last, so that nothing after the params can change their meaning.
  bool member(ondemand::document& document, ondemand::field& field) {
    if (has_params_) return false;
    if (field.key() == "params") return has_id_ && has_method_ && params(document, field.value());
    if (field.key() == "id")
      return !std::exchange(has_id_, true) && !field.value().get_uint64().get(id_);
    std::string_view text;
    const bool version = field.key() == "jsonrpc", method = field.key() == "method";
    if (version == method || field.value().get_string().get(text)) return false;
    if (version) return !std::exchange(version_, true) && text == "2.0";
    return !std::exchange(has_method_, true) && text == "events";
  }

  bool params(ondemand::document& document, ondemand::value value) {
    has_params_ = true;
    ondemand::object object;
    if (value.get_object().get(object)) return false;
    return !params_.read_params(document, object) && params_.wrong.empty();
  }

  MessageReader params_;
  uint64_t id_ = 0;
  bool version_ = false, has_id_ = false, has_method_ = false, has_params_ = false;
};

error_code iterate(simdjson::padded_string_view text, ondemand::document& document) {
  return json_room().parser.iterate(text).get(document);
}

}  // namespace

Result<EventsMessage> parse_events(std::string_view params, const EventInterest& interest) {
  ondemand::document document;
  MessageReader reader(interest);
  error_code error = iterate(json_room().padded(params), document);
  if (!error) error = reader.read_all(document);
  if (error) return fail(fmt::format("events: not valid JSON: {}", simdjson::error_message(error)));
  if (!reader.wrong.empty()) return fail(std::move(reader.wrong));
  return std::move(reader.out);
}

std::optional<EventsRequest> parse_events_request(std::string_view line,
                                                  const EventInterest& interest, Behind behind) {
  static_assert(wire::kReadable >= simdjson::SIMDJSON_PADDING);
  constexpr size_t kHead = 128;  // bytes
  if (line.substr(0, kHead).find(R"("method":"events","params":{)") == std::string_view::npos)
    return {};
  const simdjson::padded_string_view text =
      behind == Behind::readable
          ? simdjson::padded_string_view(line.data(), line.size(), line.size() + wire::kReadable)
          : json_room().padded(line);
  if (auto plain = parse_plain_request(text, interest)) return plain;
  ondemand::document document;
  RequestReader reader(interest);
  if (iterate(text, document) || !reader.read_all(document)) return {};
  return std::move(reader).taken();
}

std::string raw_event(const Event& event) {
  const auto quoted = [](const std::string& text) { return dump_json(nlohmann::json(text)); };
  return fmt::format(R"({{"class":{},"resource":{},"time":{},"ena":{},"payload":{}}})",
                     quoted(event.event_class), quoted(event.resource), event.time_ns, event.ena,
                     event.payload_json.empty() ? "{}" : event.payload_json);
}

}  // namespace fmd::protocol
