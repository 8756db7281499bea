// The redundancy of a vdev's data: may this leaf go, or does it hold the last copy? Pure.
//
// A slot (child of a top-level vdev) is good while one member is ONLINE and full: not resilvering,
// and not DEGRADED (which means wrong data). The top-level vdev tolerates parity (raidz, draid) or
// children-1 (mirror) slots that are not good. A leaf may go if another full member stays in its
// slot, or one more loss is tolerated.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

struct Redundancy {
  int losses_left = 0;  // slots that the top-level vdev can still lose; this leaf's counts as good
  // More of the other slots are not good than tolerated: data is lost, or only on DEGRADED disks.
  bool beyond_tolerance = false;
  bool covered = false;  // another member of its own slot holds all its data
  std::string refusal;   // why it must not go, for people; "" it may
};

// Leaves of a pair that ZFS may have read: they work and hold the data. Empty if it is no pair.
std::vector<uint64_t> readable_leaves(const Pool& pool, uint64_t pair);
// The only such leaf. 0: none or several, or it is no pair.
uint64_t read_leaf(const Pool& pool, uint64_t pair);
// How many disks a raidz or draid can lose; 0 for other types.
int parity_of(const Vdev& vdev);
// index: a leaf in pool.vdevs.
Redundancy redundancy_of(const Pool& pool, int index);
// Why the vdev (by guid, also a spare or cache device) must not be retired; "" it may.
std::string retire_refusal(const Pool& pool, uint64_t guid);
// How many more disks its top-level vdev can lose once this leaf is out of service; nullopt: it
// must not go, or no data depends on it (a log device).
std::optional<int> losses_left_without(const Pool& pool, int index);
// Why no other disk may replace this one now; "" it may. Its pool has stopped; its group is
// unusable, so it may hold the only copy; or it works, and its group has no redundancy left and is
// resilvering or has more bad disks than it tolerates.
std::string replace_refusal(const Pool& pool, int index);
// Why this leaf must come back instead: it is out of use, and more of the other slots of its group than
// tolerated lack some data, because they are being filled. "" it need not.
std::string only_copy_refusal(const Pool& pool, int index);
// Why no spare is used automatically, although a person may replace the disk; "" none. More disks
// of its group return wrong data than tolerated, so data copied from them may be wrong; or it
// works, and the spares are needed for disks of its group that are out of service.
std::string spare_hold(const Pool& pool, int index);
// The ONLINE, complete disk beside which a spare stays in use though nothing resilvers; "" none.
std::string stuck_beside(const Pool& pool, int spare);
// Whether a new disk in its place has all data, so that only 'zpool detach' remains.
bool is_superseded(const Pool& pool, int index);
// Why it must not become DEGRADED; "" it may. The last copy may: it stays in use (vdev_degrade()).
std::string degrade_refusal(const Pool& pool, uint64_t guid);

// How many more disks of its group may fail without data loss after this leaf.
int failures_left(const Pool& pool, int index);

}  // namespace fmd::zfs
