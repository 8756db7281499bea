// `zpool clear` of a vdev that is ONLINE posts no event (vdev_clear() of module/zfs/vdev.c tells of those that were not well
// only). It is seen by the counters: errors were counted, and none are now. An import and a boot begin with none as well, so it
// counts only when the pool's history names somebody. Pure.
#pragma once
#include <cstdint>
#include <vector>

#include "plugins/sdk/plugin.h"
#include "plugins/zfs/memory.h"
#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

struct Cleared {
  uint64_t pool = 0, vdev = 0;
  int64_t since_ns = 0;  // when errors were seen last
};

// pools: those seen just now.
std::vector<Cleared> note_counters(const std::vector<Pool>& pools, Memory& memory, int64_t now_ns);
// What the kernel would have said of it.
sdk::OutEvent cleared_event(const Pool& pool, uint64_t vdev, int64_t now_ns);

}  // namespace fmd::zfs
