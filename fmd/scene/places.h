// Places: positions of parts that are not drawn: the card in a slot, an HBA, an expander. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "fmd/model/inventory.h"

namespace fmd::scene {

// The parts within that part, without itself: in a slot, the card and the parts behind its bridge.
std::vector<const Resource*> inside(const Inventory& inventory, std::string_view part);
// The part inside that people call "the card": an HBA rather than its bridge. nullptr if empty.
const Resource* card_in(const Inventory& inventory, std::string_view slot);
// The parts that contain that part, the innermost first.
std::vector<const Resource*> around(const Inventory& inventory, std::string_view part);
// The bays in the part, and those whose disks are reached through it.
std::vector<std::string> bays_behind(const Inventory& inventory, std::string_view part);

}  // namespace fmd::scene
