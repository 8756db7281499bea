// What messages are read with grows with the largest of them, and is kept for the next. Each thread has
// its own.
#pragma once
#include <string>
#include <string_view>

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

// A storm or a large inventory is over: this thread's, and its spare events, go.
void give_room_back();

}  // namespace fmd::protocol
