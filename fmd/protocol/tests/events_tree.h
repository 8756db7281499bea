// A second reader of the `events` message, to compare parse_events() with.
#pragma once
#include <string_view>

#include "fmd/protocol/parse.h"

namespace fmd::protocol::tree {

// All members become values; no schema check.
Result<EventsMessage> parse_events(std::string_view params);

}  // namespace fmd::protocol::tree
