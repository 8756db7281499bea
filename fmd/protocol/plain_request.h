// A plain request of events, as nearly all are: no white space and no escapes; each event has only
// its five members, with the payload after the class; each payload is plain (plain_payload.h) and
// of a shape that the schema has accepted. It is read by a scan over its bytes; anything else is
// left to the parser. Internal to the protocol.
#pragma once
#include <optional>
#include <string_view>

#include "fmd/base/on_demand.h"
#include "fmd/protocol/events_request.h"

namespace fmd::protocol {

// What an event's class may be.
bool is_class_text(std::string_view text);

std::optional<EventsRequest> parse_plain_request(simdjson::padded_string_view line,
                                                 const EventInterest& interest);

}  // namespace fmd::protocol
