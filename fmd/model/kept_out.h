// A vdev that ZFS or ZED took out of service, which fmd therefore does not put back. Pure.
#pragma once
#include <string>

#include "fmd/model/inventory.h"

namespace fmd {

// "ZFS has faulted it itself: 'zpool clear tank wwn-0x5000c500a0000004' puts it back"; vdev: its
// state_by is zfs.
std::string zfs_keeps_out(const Resource& vdev);

}  // namespace fmd
