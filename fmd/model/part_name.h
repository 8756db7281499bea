// Names of parts in timelines, logs and reasons. Printable, at most 60 characters.
#pragma once
#include <string>

#include "fmd/model/inventory.h"

namespace fmd {

// The part's own name: as printed on it, its label, its address; else its FMRI.
std::string name_of(const Resource& resource);

// What a person sees in the machine: for a disk and for what is made of one disk (vdev, member of an array) its bay, else
// the disk's serial number. For other parts their own name; for unknown parts the FMRI.
std::string name_in_place(const Inventory& inventory, const std::string& fmri);

// The same for what was replaced and what it was replaced by: "SLOT 04 (serial Z1Y0)", "disk Z1Y0" where no bay is known.
std::string name_with_serial(const Inventory& inventory, const Resource& resource);

}  // namespace fmd
