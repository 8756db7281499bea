// Checksum errors on a pair (spare-N, replacing-N). A raidz or draid counts a mismatch on its
// child, the pair, not on the leaf that was read (vdev_raidz.c, vdev_raidz_checksum_error()). If
// only one leaf can have been read, the errors are its (read_leaf() in redundancy.h). Otherwise no
// disk is accused: both may have been read, or the leaf is a distributed spare, with blocks on all
// disks of its dRAID. Pure.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

class PairErrors {
 public:
  // One look at the pools: counts errors that came while the set of readable leaves did not change.
  void note(const std::vector<Pool>& pools);
  // Cause of a pair's errors: "none" no such errors, "either", "distributed"; "" unknown (from
  // before the first look).
  std::string_view of(uint64_t pair) const;

 private:
  enum class Kind { none, either, distributed, unknown };
  struct Seen {
    std::vector<uint64_t> read;  // readable leaves
    uint64_t errors = 0;
    Kind kind = Kind::none;
  };
  static Seen look(const Pool& pool, int index, const Seen* before);

  std::map<uint64_t, Seen> seen_;  // for the current pairs
};

}  // namespace fmd::zfs
