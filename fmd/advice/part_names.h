// Part names: the names of parts in texts for people. A suspected pool, array or machine gets its
// own name, never that of one of its disks. Text from outside is passed through display(). Pure.
#pragma once
#include <string>
#include <string_view>

#include "fmd/advice/part_index.h"
#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "fmd/model/part_name.h"

namespace fmd {

// "SLOT 04", "pool tank", "PS2", "fmd-zfs", "serial Z1Y0ABCD".
std::string suspect_words(const Inventory& inventory, const Suspect& suspect);
// Names all faulty suspects, or else all suspects: "SLOT 04", "SLOT 04 or 1 more".
std::string suspects_words(const Inventory& inventory, const Case& c);
// The disk of a leaf vdev: "SLOT 07", else the vdev's name.
std::string disk_words(const Inventory& inventory, const Resource& vdev);
// Any resource: a disk by its bay, everything else by its own name.
std::string resource_words(const Inventory& inventory, std::string_view fmri);
// How a command takes the part: "\"SLOT 04\"", "\"pool tank\"", a disk without a bay by its serial
// number, else its FMRI. It needs no further quoting.
std::string command_name(const Inventory& inventory, const PartIndex& index,
                         const Suspect& suspect);
std::string command_name(const Inventory& inventory, const PartIndex& index,
                         const std::string& fmri);

}  // namespace fmd
