// Places: the position of things that are not drawn themselves: the card in a slot, an HBA, an
// expander. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "fmd/model/inventory.h"

namespace fmd::scene {

// What is in that part and goes with it: of a slot its card, and what is behind the card's own bridge. Without itself.
std::vector<const Resource*> inside(const Inventory& inventory, std::string_view part);
// The one of it that people mean by "the card": an HBA before its bridge. nullptr: none is there.
const Resource* card_in(const Inventory& inventory, std::string_view slot);
// What that is in, the innermost first.
std::vector<const Resource*> around(const Inventory& inventory, std::string_view part);
// The bays whose disks are reached through it, or that are in it.
std::vector<std::string> bays_behind(const Inventory& inventory, std::string_view part);

}  // namespace fmd::scene
