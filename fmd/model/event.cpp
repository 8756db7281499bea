#include "fmd/model/event.h"

#include <algorithm>

namespace fmd {

void Payload::set(const Interned& name, Value value) {
  for (Member& member : std::span(members_.data(), used_))
    if (member.first == name) {
      member.second = std::move(value);
      return;
    }
  append(name) = std::move(value);
}

void Event::keep_payload(std::string_view json) {
  constexpr size_t kGrain = 128;  // bytes: the next of its kind is not of quite the same length
  if (payload_json.capacity() < json.size()) {
    std::string fresh;
    fresh.reserve((json.size() / kGrain + 1) * kGrain);
    payload_json.swap(fresh);
  }
  payload_json = json;
}

bool is_among(const Payload& payload, const Interned& member, const std::vector<Value>& values) {
  const Value* given = payload.find(member);
  return given && std::any_of(values.begin(), values.end(),
                              [&](const Value& v) { return equal_values(*given, v); });
}

}  // namespace fmd
