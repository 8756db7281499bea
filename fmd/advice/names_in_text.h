// Names in commands: rules, actions and plugins write FMRIs; people type the names that are printed
// on the machine. Pure.
#pragma once
#include <string>

#include "fmd/advice/part_index.h"
#include "fmd/model/inventory.h"

namespace fmd {

// How a command takes the part. A pool's or array's member gets the name of its disk where that is
// in use once; else its FMRI.
std::string name_for_command(const Inventory& inventory, const PartIndex& index,
                             const std::string& fmri);

}  // namespace fmd
