// The other way to read an `events` message, to hold parse_events() against.
#pragma once
#include <string_view>

#include "fmd/protocol/parse.h"

namespace fmd::protocol::tree {

// All members become values; nothing is asked of a schema.
Result<EventsMessage> parse_events(std::string_view params);

}  // namespace fmd::protocol::tree
