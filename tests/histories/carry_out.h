// Carries out a command as plugins/zfs/command_plan.cpp and the enclosure plugin do.
#pragma once
#include "fmd/reconcile/command.h"
#include "world.h"

namespace fmd::histories {

// ordered: by an administrator.
CommandResult carry_out(World& world, const Command& command, bool ordered, Ns now);

// For a repeated command that the plugin had begun before its restart: only checks the outcome.
CommandResult resumed(const World& world, const Command& command, Ns now);

}  // namespace fmd::histories
