// OnlyCopy: whether a disk may hold data that exists nowhere else, because its pool, array or file system has lost
// more disks than it can. Such a disk must be brought back, never replaced. Pure.
#pragma once
#include <set>
#include <string>
#include <string_view>

#include "fmd/model/inventory.h"

namespace fmd {

// The pool or md array that a vdev or member belongs to, or the pool itself; nullptr: none is known.
const Resource* storage_of(const Inventory& inventory, std::string_view fmri);

// A hot spare that does not stand in for a disk.
bool is_idle_spare(const Resource& vdev);

// The hot spare that md is filling to replace the member for good; nullptr: none, or a new disk.
const Resource* spare_taking_over(const Inventory& inventory, const Resource& member);

// It serves nothing: too many of its disks are gone.
bool lacks_copies(const Resource& storage);

// member: a vdev, an md member or a btrfs device.
bool may_hold_only_copy(const Inventory& inventory, const Resource& member);

// The same, or its pool works, but other members of its group are still being filled: it must be
// brought back.
bool must_come_back(const Inventory& inventory, const Resource& member);

// The top-level vdev or the array that a vdev or md member is below; nullptr: none.
const Resource* group_of(const Inventory& inventory, const Resource& member);

// member works, but its group has a member out of use and cannot lose another: that one must be
// replaced first.
bool must_wait_for_another(const Inventory& inventory, const Resource& member);

// The members of that top-level vdev or array that must wait, or must come back, and their disks, by FMRI.
std::set<std::string> waiting_in(const Inventory& inventory, const Resource& group);

}  // namespace fmd
