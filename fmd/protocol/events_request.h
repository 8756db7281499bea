// EventsRequest: a whole line of the plugin protocol, read in one pass. The hot path: what a storm
// consists of.
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

// None: it is another message, or one whose members do not come as those of most do, or there is
// something wrong with it: to be taken apart by its parts, which can say what.
std::optional<EventsRequest> parse_events_request(std::string_view line,
                                                  const EventInterest& interest = {});

}  // namespace fmd::protocol
