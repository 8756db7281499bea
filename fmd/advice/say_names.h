// SayNames: commands in the sentences of a Say take the names that a person sees. Pure.
#pragma once
#include "fmd/advice/say.h"
#include "fmd/advice/situation.h"

namespace fmd {

// The texts of rules and actions have FMRIs; a person types what is written on the machine.
void name_the_parts(const Situation& s, const SayWorld& world, Say& say);
// Of a part with several cases only this one ends.
void acquit_by_case(const Case& c, const Situation& s, const SayWorld& world, Say& say);

}  // namespace fmd
