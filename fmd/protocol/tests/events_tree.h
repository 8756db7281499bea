// A second reader of an `events` message, to compare parse_events() with.
#pragma once
#include <string_view>

#include "fmd/protocol/parse.h"

namespace fmd::protocol::tree {

// All members become values; nothing is asked of a schema.
Result<EventsMessage> parse_events(std::string_view params);

}  // namespace fmd::protocol::tree
