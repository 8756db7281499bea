#include "plugins/zfs/cleared.h"

#include "fmd/base/json.h"
#include "plugins/sdk/messages.h"
#include "plugins/zfs/event_convert.h"
#include "plugins/zfs/zpool_history.h"

namespace fmd::zfs {
namespace {

// The counters that vdev_clear() in module/zfs/vdev.c resets.
bool has_counts(const Vdev& vdev) {
  return vdev.read_errors || vdev.write_errors || vdev.checksum_errors || vdev.slow_ios;
}

}  // namespace

std::vector<Cleared> note_counters(const std::vector<Pool>& pools, Memory& memory, int64_t now_ns) {
  std::vector<Cleared> cleared;
  for (const Pool& pool : pools)
    for (const Vdev& vdev : pool.vdevs) {
      if (!vdev.leaf()) continue;
      const auto before = memory.counted.find(vdev.guid);
      if (vdev.online() && has_counts(vdev)) {
        memory.counted[vdev.guid] = {pool.guid, now_ns};
      } else if (before != memory.counted.end()) {
        if (vdev.online()) cleared.push_back({pool.guid, vdev.guid, before->second.seen_ns});
        memory.counted.erase(before);
      }
    }
  std::erase_if(memory.counted, [&](const auto& entry) {
    for (const Pool& pool : pools)
      if (pool.guid == entry.second.pool) return !pool.find(entry.first);
    return false;
  });
  return cleared;
}

sdk::OutEvent cleared_event(const Pool& pool, uint64_t vdev, int64_t now_ns) {
  sdk::OutEvent event;
  event.event_class = "sysevent.fs.zfs.vdev_clear";
  event.resource = vdev_fmri(pool.guid, vdev);
  event.time_ns = now_ns;
  event.payload = {{"pool", pool.name}, {"pool_guid", pool.guid}, {"vdev_guid", vdev},
                   {"context", "none"}, {"by", "administrator"},  {"seen_by", "counters"}};
  if (is_being_replaced(pool, vdev)) event.payload["by"] = "no-repair";
  if (const Vdev* its = pool.find(vdev)) {
    event.payload["vdev_type"] = its->type;
    event.payload["vdev_path"] = its->path;
  }
  return event;
}

}  // namespace fmd::zfs
