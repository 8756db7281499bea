// Compares one look with the next: which vdevs hold the data now, which left and why. Pure: works
// on Memory.
#pragma once
#include <cstdint>
#include <set>
#include <vector>

#include "plugins/zfs/memory.h"
#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

// sysevent.fs.zfs.vdev_attach: the vdev came in, its data is out of date.
void note_attached(Memory& memory, uint64_t vdev, int64_t time_ns);
// sysevent.fs.zfs.resilver_finish: posted even if a later scrub has replaced the scan line.
void note_resilver_ended(Memory& memory, uint64_t pool, int64_t time_ns);

// Sets Vdev::full of vdevs that came in: whether they are known to have resilvered since; remembers
// those that have. A new disk is ONLINE at once, the resilver begins seconds later, and zpool
// status marks the disk only once it has some data: so a finished resilver must have been seen.
// previous_ns: time of the previous look, 0 none.
void mark_resilvered(std::vector<Pool>& pools, Memory& memory, int64_t previous_ns);

// Records vanished vdevs and pools in memory.gone, forgets those that came back, and learns the new
// places. destroyed: guids of pools that were destroyed, not exported. unseen: guids of pools that
// are present but cannot be read now.
void note_changes(const std::vector<Pool>& pools, Memory& memory,
                  const std::set<uint64_t>& destroyed, const std::set<uint64_t>& unseen = {});

}  // namespace fmd::zfs
