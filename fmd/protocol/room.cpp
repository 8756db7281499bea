#include "fmd/protocol/room.h"

#include <utility>

#include "fmd/protocol/spare_events.h"

namespace fmd::protocol {

simdjson::padded_string_view JsonRoom::padded(std::string_view text) {
  copy.assign(text);
  copy.append(simdjson::SIMDJSON_PADDING, '\0');
  return simdjson::padded_string_view(copy.data(), text.size(), copy.size());
}

JsonRoom& json_room() {
  thread_local JsonRoom room;
  return room;
}

InternedTexts& known_resources() {
  constexpr size_t kSpare = 8192;
  thread_local InternedTexts resources(kSpare);
  return resources;
}

void give_room_back() {
  JsonRoom fresh;
  std::swap(json_room(), fresh);  // because an assigned string keeps its capacity
  spare_events() = SpareEvents();
  known_resources().forget_unused();
  InternedTexts::of_thread().forget_unused();
}

}  // namespace fmd::protocol
