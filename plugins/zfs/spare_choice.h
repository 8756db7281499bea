// Which spare for which disk. Pure.
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
  std::optional<bool> rotational;  // absent: unknown
};

// Of a dRAID that has both. A distributed spare is rebuilt from all disks at once, so the data is soon as safe as before; but a
// whole disk can be kept as the replacement ('zpool detach' of the old one), and the distributed one then saved for the next.
enum class SpareOrder { distributed_first, disks_first };

// Why ZFS lets no spare in for this vdev, however many there are; "" it would.
std::string spare_refusal(const Pool& pool, int index);
// How many AVAIL spares could stand in for this leaf; 0 when one has come in already.
int spares_available(const Pool& pool, int index);
// Those that are AVAIL and not known to be too small, best first: a distributed spare of the leaf's
// own dRAID (or last), the same kind (rotational or not), the smallest. Fails with the reason when
// there is none.
Result<std::vector<Vdev>> choose_spares(const Pool& pool, int index,
                                        const std::function<DeviceFacts(const Vdev&)>& facts,
                                        SpareOrder order = SpareOrder::distributed_first);

}  // namespace fmd::zfs
