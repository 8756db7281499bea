// All ways to find the disk in a bay, from the present inventory, for a description that finds the
// same bays after a reboot. Pure.
#pragma once
#include <string>
#include <vector>

#include "fmd/chassis/description.h"
#include "fmd/model/inventory.h"

namespace fmd::mapping {

// In the order to try them: SES slot, SAS phy, PCI slot, ATA port, by-path. Only those that
// identify a place, not the disk in it or its order of discovery. member: the enclosure's name in a
// host's file; a shelf's own bays ("") use SES only.
std::vector<chassis::Resolver> resolvers_of(const Inventory& inventory, const Resource& bay,
                                            const std::string& member);
// The bay's component of its FMRI.
std::string slot_of(const Resource& bay);
// Whether a name in /dev/disk/by-path identifies a place rather than a disk.
bool names_a_place(const std::string& by_path);

}  // namespace fmd::mapping
