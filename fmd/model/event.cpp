#include "fmd/model/event.h"

#include <algorithm>

namespace fmd {

void Payload::set(std::string name, Value value) {
  const auto at = std::find_if(members_.begin(), members_.end(),
                               [&](const auto& member) { return member.first == name; });
  if (at != members_.end())
    at->second = std::move(value);
  else
    members_.emplace_back(std::move(name), std::move(value));
}

const Value* Payload::find(std::string_view name) const {
  for (auto member = members_.rbegin(); member != members_.rend(); ++member)
    if (member->first == name) return &member->second;
  return nullptr;
}

bool is_among(const Payload& payload, std::string_view member, const std::vector<Value>& values) {
  const Value* given = payload.find(member);
  return given && std::any_of(values.begin(), values.end(),
                              [&](const Value& v) { return equal_values(*given, v); });
}

}  // namespace fmd
