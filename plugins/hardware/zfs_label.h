// ZfsLabel: the vdev GUID in the first of ZFS's four labels on a device (vdev_phys: a packed XDR
// nvlist at 16 KiB). blkid does not report a spare's label, which has no pool name or GUID.
#pragma once
#include <cstdint>
#include <string>

#include "fmd/base/result.h"

namespace fmd::hardware {

// 0: no label. Fails if it cannot be read. Blocks if the disk hangs: call it in a child.
Result<uint64_t> zfs_label_guid(const std::string& path);

}  // namespace fmd::hardware
