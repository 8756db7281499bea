// Names in texts: rules, actions and plugins write FMRIs; people read the names that are printed on
// the machine. Pure.
#pragma once
#include <string>

#include "fmd/advice/part_index.h"
#include "fmd/model/inventory.h"

namespace fmd {

// Each FMRI of a known part by its name: "SLOT 04", and in a quoted command as commands take it:
// 'fmadm retire "SLOT 04"'. Others stay.
std::string with_names(const Inventory& inventory, const PartIndex& index, std::string text);

// How a command takes the part. A pool's or array's member gets the name of its disk where that is
// in use once; else its FMRI.
std::string name_for_command(const Inventory& inventory, const PartIndex& index,
                             const std::string& fmri);

}  // namespace fmd
