// Latency: how long each vdev's reads and writes took, by its own histograms as `zpool iostat -l` averages
// them over a period, and how far that is from its siblings'. Pure.
//
// OpenZFS 2.4 leaves a child of a raidz out of reads ("sits out") beyond Q3 + 50 × IQR of its siblings, IQR being at least Q1 / 4, from
// five children on (vdev_raidz_outlier_check() of module/zfs/vdev_raidz.c). The same measure is taken here of all kinds of vdevs, over
// minutes, for reads and for writes: how many IQR above Q3. Where the fence stands is the rule's (rules/zfs-slow.toml).
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

struct Waits {  // in one period, of one direction
  double operations = 0;
  double milliseconds = 0;  // on average, between the kernel's block layer and the disk
};
struct PeriodWaits {
  Waits reads, writes;
};
// `zpool iostat -v -l -g -H -p -y POOL SECONDS 1`, by vdev guid. Rows that are not understood are left out.
std::map<uint64_t, PeriodWaits> parse_iostat(std::string_view text, double seconds);

// How many IQR above the Q3 of the others `mine` is; 0 when it is not, nothing when they are too few. The order of the others
// does not matter.
std::optional<double> slowness(double mine, std::vector<double> others);

// Who can be compared: the leaves that work and hold their data, below one top-level vdev; those of small ones (mirrors, single
// disks) of one role and kind together.
std::vector<std::vector<uint64_t>> sibling_groups(const Pool& pool);

struct LeafLatency {
  double read_ms = 0, write_ms = 0;                    // 0: too little was read, written
  double read_slowness = 0, write_slowness = 0;        // 0 too when nothing can be compared
  double read_siblings_ms = 0, write_siblings_ms = 0;  // their median
};

// The last periods of a pool's vdevs.
class LatencyWindow {
 public:
  void add(std::map<uint64_t, PeriodWaits> period);
  std::map<uint64_t, LeafLatency> judge(const Pool& pool) const;

 private:
  std::deque<std::map<uint64_t, PeriodWaits>> periods_;
};

}  // namespace fmd::zfs
