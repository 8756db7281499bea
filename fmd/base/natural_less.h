// The order of names as people count: by the numbers in them.
#pragma once
#include <string_view>

namespace fmd {

// Numbers in the texts by their value: "bay=3" before "bay=10". A strict order.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace fmd
