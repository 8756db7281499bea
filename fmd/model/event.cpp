#include "fmd/model/event.h"

#include <algorithm>

namespace fmd {

void Payload::set(std::string name, Value value) {
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

const Value* Payload::find(std::string_view name) const {
  for (size_t at = used_; at-- > 0;)
    if (members_[at].first == name) return &members_[at].second;
  return nullptr;
}

bool is_among(const Payload& payload, std::string_view member, const std::vector<Value>& values) {
  const Value* given = payload.find(member);
  return given && std::any_of(values.begin(), values.end(),
                              [&](const Value& v) { return equal_values(*given, v); });
}

}  // namespace fmd
