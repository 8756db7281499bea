// From one look at the pools to the next: who holds the data now, who left and why. Pure: works on
// Memory.
#pragma once
#include <cstdint>
#include <set>
#include <vector>

#include "plugins/zfs/memory.h"
#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

// A vdev came in (sysevent.fs.zfs.vdev_attach): what it holds is old.
void note_attached(Memory& memory, uint64_t vdev, int64_t time_ns);
// sysevent.fs.zfs.resilver_finish: told even when a later scrub has taken the scan line.
void note_resilver_ended(Memory& memory, uint64_t pool, int64_t time_ns);

// Sets Vdev::full of those that came in and are not known to have resilvered since, and remembers
// those that have. A new disk is ONLINE from the first moment, the resilver begins seconds later,
// and zpool status marks it only once some data went to it: so it must have been seen to finish.
// previous_ns: the look before, 0 none.
void mark_resilvered(std::vector<Pool>& pools, Memory& memory, int64_t previous_ns);

// Notes in memory.gone what was there before and is not now, forgets what came back, and learns the
// new places. destroyed: guids of pools that were destroyed, not exported. unseen: of those that are there, though
// nothing is known of them just now.
void note_changes(const std::vector<Pool>& pools, Memory& memory,
                  const std::set<uint64_t>& destroyed, const std::set<uint64_t>& unseen = {});

}  // namespace fmd::zfs
