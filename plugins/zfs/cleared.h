// Detects `zpool clear` of an ONLINE vdev, which posts no event (vdev_clear() in
// module/zfs/vdev.c): its error counters were above 0, and are 0 now. An import or a boot resets
// them as well, so the pool's history must name an administrator. Pure.
#pragma once
#include <cstdint>
#include <vector>

#include "plugins/sdk/plugin.h"
#include "plugins/zfs/memory.h"
#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

struct Cleared {
  uint64_t pool = 0, vdev = 0;
  int64_t since_ns = 0;  // when errors were last seen
};

// pools: those seen by the current look.
std::vector<Cleared> note_counters(const std::vector<Pool>& pools, Memory& memory, int64_t now_ns);
// The event that the kernel would have posted.
sdk::OutEvent cleared_event(const Pool& pool, uint64_t vdev, int64_t now_ns);

}  // namespace fmd::zfs
