// What a plugin does when it is commanded: as plugins/zfs/command_plan.cpp and the enclosure plugin do.
#pragma once
#include "fmd/reconcile/command.h"
#include "world.h"

namespace fmd::histories {

// ordered: a person has ordered it.
CommandResult carry_out(World& world, const Command& command, bool ordered, Ns now);

// A repeat of what the plugin had begun when it was restarted: it only looks what has become of it.
CommandResult resumed(const World& world, const Command& command, Ns now);

}  // namespace fmd::histories
