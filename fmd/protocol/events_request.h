// EventsRequest: a whole line of the plugin protocol with events, read in one pass. The hot path of
// a storm.
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

// How a line lies in memory.
enum class Behind {
  unknown,   // nothing behind it can be read
  readable,  // a line break, and more (lines.h): it need not be copied
};
// None: it is another message, or one whose members do not come as those of most do, or there is
// something wrong with it: to be taken apart by its parts, which can say what.
std::optional<EventsRequest> parse_events_request(std::string_view line,
                                                  const EventInterest& interest = {},
                                                  Behind behind = Behind::unknown);

}  // namespace fmd::protocol
