#include "fmd/protocol/plain_request.h"

#include <algorithm>
#include <utility>

#include "fmd/model/fmri.h"
#include "fmd/protocol/expected_shape.h"
#include "fmd/protocol/plain_text.h"
#include "fmd/protocol/room.h"
#include "fmd/protocol/spare_events.h"

namespace fmd::protocol {
namespace {

static_assert(simdjson::SIMDJSON_PADDING >= plain::kReadable);

class PlainRequest {
 public:
  PlainRequest(const EventInterest& interest, const char* end) : interest_(interest), end_(end) {}

  bool read(const char* begin) {
    const char* const at =
        plain::read_members(begin, [this](std::string_view key, const char* value) {
          if (has_params_) return kNone;  // params must come last
          if (key == "params") return params(value);
          if (key == "id") return once(has_id_) ? plain::read_whole(value, request.id) : kNone;
          if (key == "jsonrpc") return once(has_version_) ? word("2.0", value) : kNone;
          return key == "method" && once(has_method_) ? word("events", value) : kNone;
        });
    return at == end_ && has_id_ && has_version_ && has_method_ && has_params_;
  }

  EventsRequest request;

 private:
  static constexpr const char* kNone = nullptr;

  static bool once(bool& has) { return !std::exchange(has, true); }

  static const char* word(std::string_view wanted, const char* at) {
    std::string_view text;
    const char* const end = plain::read_string(at, text);
    return end && text == wanted ? end : kNone;
  }

  const char* params(const char* at) {
    has_params_ = true;
    bool has_events = false, has_cursor = false;
    at = plain::read_members(at, [&](std::string_view key, const char* value) {
      if (key == "events") return once(has_events) ? events(value) : kNone;
      return key == "cursor" && once(has_cursor) ? cursor(value) : kNone;
    });
    return has_events ? at : kNone;
  }

  const char* cursor(const char* at) {
    std::string_view text;
    at = plain::read_string(at, text);
    if (at) request.message.cursor = std::string(text);
    return at;
  }

  const char* events(const char* at) {
    const char* const first = at;
    auto& all = request.message.events;
    return plain::read_elements(at, [&](const char* one) {
      // Most events are about as long as the first.
      if (all.size() == 1)
        all.reserve(std::min(kMaxEvents, 2 + static_cast<size_t>((end_ - one) / (one - first))));
      return event(one);
    });
  }

  const char* event(const char* at) {
    auto& all = request.message.events;
    if (all.size() == kMaxEvents) return kNone;
    Event& event = *all.emplace_back(all.size(), spare_events().take()).second;
    bool has_class = false, has_resource = false, has_time = false, has_ena = false,
         has_payload = false;
    at = plain::read_members(at, [&](std::string_view key, const char* value) {
      if (key == "class") return once(has_class) ? set_class(event, value) : kNone;
      if (key == "resource") return once(has_resource) ? set_resource(event, value) : kNone;
      if (key == "time") return once(has_time) ? set_time(event, value) : kNone;
      if (key == "ena") return once(has_ena) ? plain::read_whole(value, event.ena) : kNone;
      const bool payload = key == "payload" && has_class && once(has_payload);
      return payload ? set_payload(event, value) : kNone;
    });
    return has_resource && has_time && has_payload ? at : kNone;
  }

  // Mostly the class of the previous event.
  const char* set_class(Event& event, const char* at) {
    std::string_view text;
    at = plain::read_string(at, text);
    if (!at) return kNone;
    if (!class_ || class_name_ != text) {
      if (!interest_.schema || !is_class_text(text)) return kNone;
      class_ = interest_.schema->find(text);
      class_name_ = text;
    }
    event.event_class = class_name_;
    expected_.begin(class_);
    return at;
  }

  static const char* set_resource(Event& event, const char* at) {
    std::string_view text;
    at = plain::read_string(at, text);
    if (!at) return kNone;
    InternedTexts& resources = known_resources();
    if (const Interned* known = resources.find(text)) {
      event.resource = *known;
      return at;
    }
    if (text.size() > kMaxFmri || !is_canonical_fmri(text)) return kNone;
    resources.keep(event.resource = text);
    return at;
  }

  static const char* set_time(Event& event, const char* at) {
    uint64_t whole = 0;
    at = plain::read_whole(at, whole);
    if (!at || whole > INT64_MAX) return kNone;
    event.time_ns = static_cast<int64_t>(whole);
    return at;
  }

  const char* set_payload(Event& event, const char* at) {
    const char* const end = expected_.read(at);
    if (!end) return kNone;
    const EventClass::Shape& shape = expected_.shape();
    const std::vector<PlainMember>& members = expected_.members();
    for (size_t i = 0; i < members.size(); ++i)
      if (!shape.fits(i, members[i].kind)) return kNone;
    const std::vector<size_t>& asked_for = expected_.asked_for(interest_.members);
    for (const size_t i : asked_for) members[i].put(event.payload.append(shape.names[i]));
    event.keep_payload({at, end});
    return end;
  }

  const EventInterest& interest_;
  const char* const end_;
  ExpectedShape expected_;
  const EventClass* class_ = nullptr;  // for class_name_
  Interned class_name_;
  bool has_id_ = false, has_version_ = false, has_method_ = false, has_params_ = false;
};

}  // namespace

bool is_class_text(std::string_view text) {
  if (text.empty() || text.size() > kMaxClass || text.front() == '.' || text.back() == '.')
    return false;
  for (const char c : text) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    if (!plain) return false;
  }
  return true;
}

std::optional<EventsRequest> parse_plain_request(simdjson::padded_string_view line,
                                                 const EventInterest& interest) {
  PlainRequest plain(interest, line.data() + line.size());
  if (!simdjson::validate_utf8(line.data(), line.size())) return {};
  if (!plain.read(line.data())) return {};
  return std::move(plain.request);
}

}  // namespace fmd::protocol
