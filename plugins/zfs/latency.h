// Latency: average duration of each vdev's reads and writes over a period, from its histograms
// (`zpool iostat -l`), and how far it is from its siblings'. Pure.
//
// OpenZFS 2.4 excludes a raidz child from reads ("sits out") beyond Q3 + 50 × IQR of its siblings,
// IQR being at least Q1 / 4, with five children or more (vdev_raidz.c, vdev_raidz_outlier_check()).
// Here the number of IQRs above Q3 is computed for all vdev types, over minutes, for reads and for
// writes; the threshold is in the rule (rules/zfs-slow.toml).
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

struct Waits {  // one direction in one period
  double operations = 0;
  double milliseconds = 0;  // average between the kernel's block layer and the disk
};
struct PeriodWaits {
  Waits reads, writes;
};
// Parses `zpool iostat -v -l -g -H -p -y POOL SECONDS 1`, by vdev guid. Skips unknown rows.
std::map<uint64_t, PeriodWaits> parse_iostat(std::string_view text, double seconds);

// How many IQRs `mine` is above the Q3 of the others, at least 0; nullopt: too few others.
std::optional<double> slowness(double mine, std::vector<double> others);

// Comparable leaves: those that work and hold their data, grouped by top-level vdev; for mirrors
// and single disks, those of one role and type together.
std::vector<std::vector<uint64_t>> sibling_groups(const Pool& pool);

struct LeafLatency {
  double read_ms = 0, write_ms = 0;                    // 0: too few reads or writes
  double read_slowness = 0, write_slowness = 0;        // also 0 if there are too few siblings
  double read_siblings_ms = 0, write_siblings_ms = 0;  // their median
};

// The latest periods of a pool's vdevs.
class LatencyWindow {
 public:
  void add(std::map<uint64_t, PeriodWaits> period);
  std::map<uint64_t, LeafLatency> judge(const Pool& pool) const;

 private:
  std::deque<std::map<uint64_t, PeriodWaits>> periods_;
};

}  // namespace fmd::zfs
