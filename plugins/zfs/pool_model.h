// Pool: one pool as observed: its vdevs as a tree by guid, joined from `zpool list` and two outputs
// of `zpool status` (-g: guids, -P: names and paths), whose rows are the same but for the name.
//
//   tank                 [0] root
//     raidz2-0           top: its children are "slots"; each slot holds one share of the data
//       sda              leaf
//       spare-1          pair: the slot's data is on each member that is full
//         sdb            leaf (the original)
//         sdh            leaf, role spare
//     spares: sdh        in Pool::spares, with the state AVAIL or INUSE
// Pure.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/base/result.h"
#include "plugins/zfs/scan_text.h"
#include "plugins/zfs/zpool_status.h"

namespace fmd::zfs {

struct Vdev {
  uint64_t guid = 0;
  std::string
      name;  // "raidz2-0"; a leaf's as `zpool status` shows it without -P: "wwn-0x5000c500a0000003"
  std::string path;  // of a leaf: "/dev/disk/by-id/wwn-0x5000c500a0000003-part1"; that it had, when
                     // it is gone
  std::string
      physpath;  // where it sits, by vdev_id or udev: "A3", "pci-0000:01:00.0-sas-phy3-lun-0"; "" not known
  std::string
      type;  // root, raidz, draid, mirror, spare, replacing, indirect; of a leaf disk, file, dspare
  std::string role;  // data, log, special, dedup, cache, spare
  std::string state, note;
  uint64_t read_errors = 0, write_errors = 0, checksum_errors = 0;
  uint64_t slow_ios = 0;  // I/Os of zio_slow_io_ms (30 s) and more
  int parent = -1;        // index in Pool::vdevs
  int index = 0;          // which child of its parent
  std::vector<int> children;
  bool former = false;  // `path` is a name that it had at an earlier boot: "was /dev/sda1"
  bool full = true;     // holds all data of its slot: a resilvering one does not

  bool leaf() const { return children.empty() && type != "root" && type != "indirect"; }
  bool pair() const { return type == "spare" || type == "replacing"; }
  bool online() const { return state == "ONLINE"; }
  bool usable() const { return state == "ONLINE" || state == "DEGRADED"; }
  // FAULTED from outside: by fmd, or `zpool offline -f`. The kernel and zed leave "too many errors".
  bool fault_forced() const {
    return state == "FAULTED" && note.starts_with("external device fault");
  }
};

struct Pool {
  std::string name, health, errors;
  uint64_t guid = 0;
  Scan scan, expand, error_scrub;
  std::optional<int> capacity;          // percent
  int64_t created_ns = 0;               // wall clock; 0: not known
  bool autoreplace = false;             // its property of that name
  std::vector<Vdev> vdevs;              // [0] is the root; parents before children
  std::vector<Vdev> spares;             // the spares section
  std::optional<uint64_t> data_errors;  // what no copy could give back; nothing: not known
  std::vector<std::string> damaged;     // the names that it has, raw
  bool suspended() const { return health == "SUSPENDED"; }
  // Its I/O waits or fails: too few of its disks can be used, and each of them may hold the only copy.
  bool stopped() const { return suspended() || health == "UNAVAIL" || health == "FAULTED"; }
  // What runs: an expansion waits for a resilver, not the other way round.
  const Scan& work() const {
    return scan.active()          ? scan
           : expand.active()      ? expand
           : error_scrub.active() ? error_scrub
                                  : scan;
  }

  const Vdev* find(uint64_t guid) const;  // in the tree, else among the spares
  int index_of(uint64_t guid) const;      // in the tree; -1
  int top_of(int index) const;            // its top-level vdev
  int slot_of(
      int index) const;  // the child of its top-level vdev it is in; itself for a top-level leaf
  int pair_of(int index, std::string_view type) const;  // nearest pair above of that type; -1
  // The spare that stands in for this leaf; -1 none.
  int spare_for(int index) const;
};

inline const Vdev& at(const Pool& pool, int index) {
  return pool.vdevs[static_cast<size_t>(index)];
}

// guid → name as printed with -P.
using VdevNames = std::map<uint64_t, std::string>;
VdevNames collect_names(const std::vector<StatusPool>& with_guids,
                        const std::vector<StatusPool>& with_paths);
bool same_shape(const std::vector<StatusPool>& a, const std::vector<StatusPool>& b);
// Fails when a guid has no name yet, or lists differ: look again, the configuration has changed
// meanwhile.
Result<std::vector<Pool>> build_pools(const std::vector<ListedPool>& listed,
                                      const std::vector<StatusPool>& with_guids,
                                      const VdevNames& names);

// "/dev/disk/by-id/wwn-0x5000c500a0000003-part1" → "…/wwn-0x5000c500a0000003"; only for partition
// 1, which is what ZFS makes on a disk it was given whole.
std::string whole_disk_path(std::string_view path);

}  // namespace fmd::zfs
