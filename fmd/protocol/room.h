// Reusable buffers for reading messages, as large as the largest message. One set per thread.
#pragma once
#include <string>
#include <string_view>

#include "fmd/base/interned.h"
#include "fmd/base/on_demand.h"

namespace fmd::protocol {

struct JsonRoom {
  std::string copy;
  simdjson::ondemand::parser parser;

  // A padded copy, also of a part of the previous one. Valid until this thread's next call.
  simdjson::padded_string_view padded(std::string_view text);
};

// This thread's buffers.
JsonRoom& json_room();

// FMRIs that this thread recently read in events or that are in use; only canonical ones.
InternedTexts& known_resources();

// After a storm or a large inventory: frees this thread's buffers, spare events and unused texts.
void give_room_back();

}  // namespace fmd::protocol
