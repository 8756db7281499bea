// A plain request of events, as nearly all are: without white space or escapes; each event has only
// its five members, with the payload after the class; each payload is plain (plain_payload.h) and
// of a shape that the schema has accepted. A scan over its bytes reads it; all else is left to the
// parser. Internal to the protocol.
#pragma once
#include <optional>
#include <string_view>

#include "fmd/base/on_demand.h"
#include "fmd/protocol/events_request.h"

namespace fmd::protocol {

// Whether the text is a valid event class.
bool is_class_text(std::string_view text);

std::optional<EventsRequest> parse_plain_request(simdjson::padded_string_view line,
                                                 const EventInterest& interest);

}  // namespace fmd::protocol
