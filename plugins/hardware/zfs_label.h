// ZfsLabel: the vdev GUID in the first of the four labels that ZFS writes on a device (vdev_phys: a packed
// XDR nvlist at 16 KiB). blkid does not report a spare's label, since it has neither name nor GUID of a pool.
#pragma once
#include <cstdint>
#include <string>

#include "fmd/base/result.h"

namespace fmd::hardware {

// 0: no label. Fails if it cannot be read. Blocks if the disk hangs: call it in a child.
Result<uint64_t> zfs_label_guid(const std::string& path);

}  // namespace fmd::hardware
