// SayNames: commands in the sentences of a Say take the names that a person sees. Pure.
#pragma once
#include "fmd/advice/say.h"
#include "fmd/advice/situation.h"

namespace fmd {

// Rules and actions use FMRIs; people read and type the names printed on the machine.
void name_the_parts(const Situation& s, const SayWorld& world, Say& say);
// For a part with several cases, the command ends only this one.
void acquit_by_case(const Case& c, const Situation& s, const SayWorld& world, Say& say);

}  // namespace fmd
