// Blast radius: how much fmd takes out of one group (a pool) by itself before a person has looked.
// Counted over all that it has done there and all that it is about to do: intents, commands under way
// and what is in force. Pure.
#pragma once
#include <cstdint>
#include <string_view>

#include "fmd/reconcile/interventions.h"

namespace fmd {

// How many other parts of the group fmd has taken out since then, or is taking out, without their
// having been put back. since_ns: steady.
uint64_t others_retired(const Interventions& interventions, std::string_view group,
                        std::string_view part, int64_t since_ns);

}  // namespace fmd
