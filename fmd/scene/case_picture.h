// Case picture: the side of a chassis that contains the parts of the cases, with rings around them,
// for messages. Pure.
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
  std::string alt;  // the same in one or two sentences
};
// told: the cases to show, open or closed; open: all open cases, for the state of the other parts.
// Nothing if no picture contains the parts of those cases.
std::optional<CasePicture> picture_cases(const Inventory& inventory,
                                         const std::vector<const Case*>& open,
                                         const std::vector<const Case*>& told);

}  // namespace fmd::scene
