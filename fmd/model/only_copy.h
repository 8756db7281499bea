// OnlyCopy: whether a disk may hold data that exists nowhere else, because its pool, array or file system has lost
// more disks than it can. Such a disk must be brought back, never replaced. Pure.
#pragma once
#include <set>
#include <string>
#include <string_view>

#include "fmd/model/case.h"
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

// user: a vdev, md member, LVM volume or btrfs device in use; disk: the FMRI of a disk below it. Whether
// some data on the disk has no other copy now.
bool holds_last_copy(const Resource& user, std::string_view disk);

// Whether another disk of the LVM volume is gone: device-mapper notices that only when it uses the disk.
bool has_lost_another(const Inventory& inventory, const Resource& volume, std::string_view disk);

// Some of its members may hold data that the others need until the reshape ends.
bool is_reshaped(const Resource& storage);

// A mounted file system that is on the disk without redundancy between; nullptr: none.
const Resource* file_system_on(const Inventory& inventory, const Resource& disk);

// Why the data on a disk that is there has to be copied, or its array left alone, before the disk is
// replaced, for example "the file system /srv is on it"; "" no reason, or last copies of its users
// (holds_last_copy).
std::string why_kept(const Inventory& inventory, const Resource& disk);

// It holds data, and nothing that fmd sees uses it.
bool is_of_unknown_use(const Inventory& inventory, const Resource& disk);

// The suspect's pool has let go of this disk (kLetGo), no program uses it, and no other data than the
// pool's was found on it since. The disk plugin's reason says so.
bool was_let_go(const Suspect& suspect, const Resource& disk);
// The same of the suspect's disk if that is here and in no other use.
bool is_let_go(const Inventory& inventory, const Suspect& suspect);

// The parts of that top-level vdev, array, volume or device that hold a last copy or must come back,
// and their disks, by FMRI; with a member out of use, also the group itself.
std::set<std::string> kept_in(const Inventory& inventory, const Resource& group);

}  // namespace fmd
