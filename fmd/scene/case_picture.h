// Case picture: the side of a chassis with the parts of the cases, ringed, for messages to people.
// Pure.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "fmd/scene/drawing.h"

namespace fmd::scene {

struct CasePicture {
  Drawing drawing;
  std::string alt;  // the same in a sentence or two
};
// told: what it is to show, open or over; open: every open case, for how all else stands. Nothing: no
// picture has a place for the parts of those cases.
std::optional<CasePicture> picture_cases(const Inventory& inventory,
                                         const std::vector<const Case*>& open,
                                         const std::vector<const Case*>& told);

}  // namespace fmd::scene
