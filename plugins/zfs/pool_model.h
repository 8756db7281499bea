// Pool: an observed pool. Its vdevs are a tree by guid, joined from `zpool list` and two outputs of
// `zpool status` (-g: guids, -P: names and paths), which have the same rows with different names.
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
  std::string name;  // "raidz2-0"; leaf: as in `zpool status` without -P, "wwn-0x5000c500a0000003"
  std::string path;  // of a leaf: "/dev/disk/by-id/wwn-0x5000c500a0000003-part1"; if it is gone,
                     // the last one
  std::string physpath;  // by vdev_id or udev: "A3", "pci-0000:01:00.0-sas-phy3-lun-0"; "" unknown
  std::string type;  // root, raidz, draid, mirror, spare, replacing, indirect, disk, file, dspare
  std::string role;  // data, log, special, dedup, cache, spare
  std::string state, note;
  uint64_t read_errors = 0, write_errors = 0, checksum_errors = 0;
  uint64_t slow_ios = 0;  // I/Os of at least zio_slow_io_ms (30 s)
  int parent = -1;        // index in Pool::vdevs
  int index = 0;          // number among its parent's children
  std::vector<int> children;
  bool former = false;  // `path` is from an earlier boot: "was /dev/sda1"
  bool full = true;     // holds all data of its slot; false during a resilver

  bool leaf() const { return children.empty() && type != "root" && type != "indirect"; }
  bool pair() const { return type == "spare" || type == "replacing"; }
  bool online() const { return state == "ONLINE"; }
  bool usable() const { return state == "ONLINE" || state == "DEGRADED"; }
  // FAULTED from outside: by fmd or `zpool offline -f`. The kernel and ZED set "too many errors".
  bool fault_forced() const {
    return state == "FAULTED" && note.starts_with("external device fault");
  }
};

struct Pool {
  std::string name, health, errors;
  uint64_t guid = 0;
  Scan scan, expand, error_scrub;
  std::optional<int> capacity;          // percent
  int64_t created_ns = 0;               // wall clock; 0: unknown
  bool autoreplace = false;             // the pool's property
  std::vector<Vdev> vdevs;              // [0] is the root; parents before children
  std::vector<Vdev> spares;             // the spares section
  std::optional<uint64_t> data_errors;  // errors that no copy could repair; nullopt: unknown
  std::vector<std::string> damaged;     // the affected names, raw
  bool by_multihost = false;            // suspended, because multihost writes failed
  bool suspended() const { return health == "SUSPENDED"; }
  // Its I/O waits or fails: too few disks are usable, and each of them may hold the only copy.
  bool stopped() const { return suspended() || health == "UNAVAIL" || health == "FAULTED"; }
  // The active scan. An expansion waits for a resilver, not the other way round.
  const Scan& work() const {
    return scan.active()          ? scan
           : expand.active()      ? expand
           : error_scrub.active() ? error_scrub
                                  : scan;
  }

  const Vdev* find(uint64_t guid) const;  // in the tree, otherwise among the spares
  int index_of(uint64_t guid) const;      // in the tree; -1
  int top_of(int index) const;            // its top-level vdev
  int slot_of(
      int index) const;  // child of its top-level vdev that contains it; a top-level leaf itself
  int pair_of(int index, std::string_view type) const;  // nearest pair of that type above; -1
  // The spare in use for this leaf; -1 none.
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
// Fails if a guid has no name yet or the lists differ: the configuration has changed, so look
// again.
Result<std::vector<Pool>> build_pools(const std::vector<ListedPool>& listed,
                                      const std::vector<StatusPool>& with_guids,
                                      const VdevNames& names);

// "/dev/disk/by-id/wwn-0x5000c500a0000003-part1" → "…/wwn-0x5000c500a0000003"; only for partition
// 1, which ZFS creates on whole disks.
std::string whole_disk_path(std::string_view path);
// Whether a person has made this partition ("/dev/sda3", "…-part3"): the disk then has others, such
// as those that the machine boots from.
bool is_one_of_partitions(std::string_view path);

}  // namespace fmd::zfs
