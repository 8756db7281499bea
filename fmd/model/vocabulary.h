// Vocabulary: the types of parts and their properties that rules may name, declared in
// [resource.TYPE] tables beside the event classes (schemas/events/resources.toml). Without any
// declaration, all names are allowed.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"

namespace fmd {

class Vocabulary {
 public:
  // Declares a property. type "*": for every type. A property may end in ".*".
  void add(const std::string& type, const std::vector<std::string>& properties);

  // The error says what is wrong and suggests the nearest name.
  Result<void> check_type(std::string_view type) const;
  // type "": some type's. Of an unknown type nothing is wrong: check_type() tells.
  Result<void> check_property(std::string_view type, std::string_view property) const;

 private:
  using Names = std::set<std::string, std::less<>>;
  std::map<std::string, Names, std::less<>> types_;
};

}  // namespace fmd
