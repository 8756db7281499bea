// The detail of an action with Obstacle::no_spare: this and the reason if spares are there and none
// is used, else any text.
#pragma once
#include <string_view>

namespace fmd {

inline constexpr std::string_view kNoSpareBecause = "no spare: ";

}  // namespace fmd
