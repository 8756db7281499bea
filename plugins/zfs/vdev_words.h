// Vdevs in sentences for people. fmd shows an FMRI as the bay that the disk is in; ZFS's own names,
// such as "wwn-0x5000c500a0000003", are for commands only. Pure.
#pragma once
#include <map>
#include <string>

#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

// The FMRI of a leaf, the name of a group: "raidz2-0".
std::string vdev_words(const Pool& pool, const Vdev& vdev);
std::string vdev_of_pool(const Pool& pool, const Vdev& vdev);  // "… of pool 'tank'"

// Output of zpool(8) with the FMRIs of the leaves that it names by guid, name or path. `devices`:
// FMRIs of other disks by their paths, such as that of a new disk.
std::string with_fmris(const Pool& pool, const std::map<std::string, std::string>& devices,
                       std::string_view text);

}  // namespace fmd::zfs
