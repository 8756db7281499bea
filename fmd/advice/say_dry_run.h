// Dry run: what a Say must not promise while fmd changes nothing, and the command that ends it. Pure.
#pragma once
#include "fmd/advice/say.h"
#include "fmd/advice/situation.h"

namespace fmd {

// Changes do_now and steps, which were written for an fmd that acts.
void say_dry_run(const Situation& s, Say& say);

// Where fmd takes no new disk by itself (takes_from_bay()): none is promised, and the command is a
// step (replace_command()).
void say_by_hand(const Situation& s, const std::string& command, Say& say);

}  // namespace fmd
