// Buffers for reading messages. They grow with the largest message and are reused. One per thread.
#pragma once
#include <string>
#include <string_view>

#include "fmd/base/interned.h"
#include "fmd/base/on_demand.h"

namespace fmd::protocol {

struct JsonRoom {
  std::string copy;
  simdjson::ondemand::parser parser;

  // A copy with room behind it, also of a part of the one before. Valid until the next one of this thread.
  simdjson::padded_string_view padded(std::string_view text);
};

// This thread's.
JsonRoom& json_room();

// The FMRIs that this thread has read in events of late, or that are in use: those only that may be told as they stand.
InternedTexts& known_resources();

// A storm or a large inventory is over: this thread's, its spare events, and texts that are not in use, go.
void give_room_back();

}  // namespace fmd::protocol
