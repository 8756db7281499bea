// RuleKey: a rule and a resource, the key of SERD engines, holds and conditions. Ordered by
// resource, so that all entries of a resource are adjacent.
#pragma once
#include <compare>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/base/state_row.h"

namespace fmd {

// Of a row; a rule's name has no blank.
std::string row_key(std::string_view rule, std::string_view resource);

struct RuleKey {
  std::string resource, rule;
  auto operator<=>(const RuleKey&) const = default;
  std::string row_key() const { return fmd::row_key(rule, resource); }
};

// Of a stored row. Errors name the row: a damaged one is left out, the others are taken.
Result<RuleKey> rule_key_of(const StateRow& row);
Result<nlohmann::json> object_of(const StateRow& row);

// The keys in an ordered map that are about one resource.
template <class Map>
std::vector<RuleKey> keys_about(const Map& map, std::string_view resource) {
  std::vector<RuleKey> keys;
  for (auto at = map.lower_bound({std::string(resource), ""});
       at != map.end() && at->first.resource == resource; ++at)
    keys.push_back(at->first);
  return keys;
}

template <class Map>
bool any_about(const Map& map, const std::string& resource) {
  if (map.empty()) return false;
  const auto at = map.lower_bound({resource, ""});
  return at != map.end() && at->first.resource == resource;
}

}  // namespace fmd
