// Promises: what a Say must not promise in dry run, or where fmd uses no new disk by itself. Pure.
#pragma once
#include "fmd/advice/say.h"
#include "fmd/advice/situation.h"

namespace fmd {

// Dry run: removes promises of actions from do_now and steps, and says that fmd only watches.
void say_dry_run(const Situation& s, Say& say);

// If fmd uses no new disk by itself (takes_from_bay()): no sentence promises it, and the command (replace_command()) is a
// step.
void say_by_hand(const Situation& s, const std::string& command, Say& say);

}  // namespace fmd
