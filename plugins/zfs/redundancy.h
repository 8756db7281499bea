// What the data of a vdev's slot rests on: may this leaf go without the last copy going with it?
// Pure.
//
// A slot (child of a top-level vdev) is good while one member is ONLINE and full: not resilvering,
// not DEGRADED (what made it so is wrong data). The top-level vdev tolerates parity (raidz, draid)
// or children-1 (mirror) slots that are not good; a leaf may leave its slot when another full
// member stays in it, or one more loss is tolerated.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

struct Redundancy {
  int losses_left =
      0;  // further slots the top-level vdev can do without, this leaf's own not counted as lost
  // More of the other slots are not good than it tolerates: data is lost, or is read from DEGRADED disks only.
  bool beyond_tolerance = false;
  bool covered = false;  // another member of its own slot holds all its data
  std::string refusal;   // "" it may go; else the reason, for people
};

// The leaves below a pair (spare-N, replacing-N) that ZFS can have read: they work and hold the data. None: it is no pair.
std::vector<uint64_t> readable_leaves(const Pool& pool, uint64_t pair);
// The one leaf below a pair (spare-N, replacing-N) that ZFS can have read: it works and holds the data. 0: none, or
// several could have been, or it is no pair.
uint64_t read_leaf(const Pool& pool, uint64_t pair);
// How many disks a raidz or draid can do without; 0 of anything else.
int parity_of(const Vdev& vdev);
// index: a leaf in pool.vdevs.
Redundancy redundancy_of(const Pool& pool, int index);
// The same for any vdev of the pool by guid, spares and cache included.
std::string retire_refusal(const Pool& pool, uint64_t guid);
// How many further disks its top-level vdev can do without once this leaf is out of service; nothing: it may not go, or no
// data rests on it alone (a log device).
std::optional<int> losses_left_without(const Pool& pool, int index);
// Why no other disk may take this one's place just now. "": it may. The reasons: its pool has stopped (Pool::stopped()); its group cannot be used, so
// that it may hold the only copy; it works, and its group without redundancy left is being resilvered, or has more disks that are not good than it tolerates.
std::string replace_refusal(const Pool& pool, int index);
// Why no spare goes in by itself, though a person may replace the disk: more disks of its group return wrong data than it
// tolerates, so what is filled from them may be wrong as well; or it works, and the spares are for disks of its group that are
// out of service. "": none.
std::string spare_hold(const Pool& pool, int index);
// Beside which disk, ONLINE with all data, a spare stays in use though nothing resilvers; "" none.
std::string stuck_beside(const Pool& pool, int spare);
// True if a new disk in its place holds all data, and only 'zpool detach' is left to do.
bool is_superseded(const Pool& pool, int index);
// To be called DEGRADED, which takes nothing out of service: the last copy may be, as vdev_degrade() has it.
std::string degrade_refusal(const Pool& pool, uint64_t guid);

// How many more disks of its group may fail without data being lost, once this leaf has failed.
int failures_left(const Pool& pool, int index);

}  // namespace fmd::zfs
