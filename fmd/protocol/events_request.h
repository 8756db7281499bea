// EventsRequest: a plugin's line with events, read in one pass. The hot path of a storm.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "fmd/protocol/parse.h"

namespace fmd::protocol {

struct EventsRequest {
  uint64_t id = 0;
  EventsMessage message;
};

// Memory after the line.
enum class Behind {
  unknown,   // must not be read
  readable,  // kReadable bytes can be read (lines.h), so the line is not copied
};
// Nothing for another message, an unusual order of members, or an error: the caller then uses the
// slower parser, which reports errors.
std::optional<EventsRequest> parse_events_request(std::string_view line,
                                                  const EventInterest& interest = {},
                                                  Behind behind = Behind::unknown);

}  // namespace fmd::protocol
