// How the place of a bay was verified. A bay that is known from a drawing only may be another one
// than its label says, so everything that names it asks for a check. Pure.
#pragma once
#include <string_view>

#include "fmd/model/inventory.h"

namespace fmd {

inline constexpr std::string_view kDrawingOnly = "drawing only";
inline constexpr std::string_view kCheckByBlink = "check with a blink before you pull";

// Of a bay, or of an enclosure.
inline bool is_from_drawing(const Resource& part) {
  return part.is("verified", kDrawingOnly);
}

}  // namespace fmd
