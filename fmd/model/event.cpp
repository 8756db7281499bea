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
