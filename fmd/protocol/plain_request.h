// A request of events that is plain, as nearly all are: no white space, nothing escaped, of each event no more than its five
// members with the payload behind the class, and each payload plain (plain_payload.h), of a shape that the
// schema has found fit. It is read by a walk over its bytes; whatever else it is, is for the parser. Inside the protocol only.
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
