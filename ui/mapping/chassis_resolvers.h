// All ways to find what sits in a bay, as the inventory tells of them now: for a description that
// is to find the same disks after a reboot. Pure.
#pragma once
#include <string>
#include <vector>

#include "fmd/chassis/description.h"
#include "fmd/model/inventory.h"

namespace fmd::mapping {

// In the order in which they are to be tried: SES slot, SAS phy, PCI slot, ATA port, by-path. Only
// what names a place, not the disk in it or its place in an order of discovery. member: the name of
// the enclosure in a host's file; a shelf's own bays ("") are found by SES alone.
std::vector<chassis::Resolver> resolvers_of(const Inventory& inventory, const Resource& bay,
                                            const std::string& member);
// The bay's part of its FMRI.
std::string slot_of(const Resource& bay);
// Whether a name below /dev/disk/by-path says where a disk is and not which one.
bool names_a_place(const std::string& by_path);

}  // namespace fmd::mapping
