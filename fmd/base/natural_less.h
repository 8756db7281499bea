// Natural order of names: numbers in them are compared as numbers.
#pragma once
#include <string_view>

namespace fmd {

// Numbers are ordered by value: "bay=3" before "bay=10". A strict order.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace fmd
