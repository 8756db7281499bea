// Blast radius: how much of one group (a pool) fmd may take out by itself before a person has
// looked. It counts everything that fmd has done or is about to do there: intents, pending
// commands, and interventions in force. Pure.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "fmd/model/inventory.h"
#include "fmd/reconcile/interventions.h"

namespace fmd {

// How many other units of the group fmd has taken out since then, or is taking out, without their
// having been put back. since_ns: steady. unit_of: what a part counts as, mostly itself; cores that
// share a cache which is worn go together.
using UnitOf = std::function<std::string(const std::string& part)>;
uint64_t others_retired(const Interventions& interventions, std::string_view group,
                        const std::string& part, int64_t since_ns, const UnitOf& unit_of);
// By the inventory's word `unit`.
std::string unit_of(const Inventory& inventory, const std::string& part);

}  // namespace fmd
