// The lists of a Say: what fmd has done, what it will do by itself, how to disagree. Pure.
#pragma once
#include <string>
#include <vector>

#include "fmd/advice/situation.h"

namespace fmd {

std::vector<std::string> done_of(const Case& c, const Situation& s, const SayWorld& world);
// must_stay: the disk's data may have no other copy.
std::vector<std::string> next_of(const Case& c, const Situation& s, const SayWorld& world,
                                 bool must_stay);
std::vector<std::string> disagree_of(const Case& c, const Situation& s);

// The scan that must end before the action starts: "scrub", "expansion", md's "check".
std::string busy_noun(const Situation& s);

// "Its fault LED is on.", if the enclosure reports that; else "".
std::string light_of(const Case& c, const Situation& s, const Inventory& inventory);
// As commands take it: "9e858a21".
std::string short_id(std::string_view uuid);

}  // namespace fmd
