// Chooses spares for disks. Pure.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

struct DeviceFacts {
  uint64_t size_bytes = 0;         // 0 unknown
  std::optional<bool> rotational;  // nullopt: unknown
};

// For a dRAID with both kinds. A distributed spare is rebuilt from all disks at once, which
// restores redundancy sooner. A whole disk can stay as the replacement (after 'zpool detach' of the
// old one), which saves the distributed spare for the next failure.
enum class SpareOrder { distributed_first, disks_first };

// Why ZFS accepts no spare for this vdev; "" it does.
std::string spare_refusal(const Pool& pool, int index);
// Number of AVAIL spares that fit this leaf; 0 if it already has one.
int spares_available(const Pool& pool, int index);
// The AVAIL spares not known to be too small, best first: a distributed spare of the leaf's dRAID
// (or last), the same kind (rotational or not), the smallest. Fails with the reason if there is
// none.
Result<std::vector<Vdev>> choose_spares(const Pool& pool, int index,
                                        const std::function<DeviceFacts(const Vdev&)>& facts,
                                        SpareOrder order = SpareOrder::distributed_first);

}  // namespace fmd::zfs
