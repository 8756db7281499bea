// Checksum errors on a pair (spare-N, replacing-N). A raidz or draid counts what did not match on its child, which is the pair,
// and does not say which leaf of it was read (vdev_raidz_checksum_error() of module/zfs/vdev_raidz.c). If only one leaf can
// have been read, the errors are its (read_leaf() of redundancy.h). Otherwise no disk can be accused: both leaves were read,
// or the one leaf is a distributed spare, whose blocks lie on all disks of its dRAID. Pure.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

class PairErrors {
 public:
  // One look at the pools: errors count that came while the same leaves were read as at the look before.
  void note(const std::vector<Pool>& pools);
  // Whose they are not known to be: "none" there are no such errors, "either", "distributed"; "" not known (they are from
  // before the first look).
  std::string_view of(uint64_t pair) const;

 private:
  enum class Kind { none, either, distributed, unknown };
  struct Seen {
    std::vector<uint64_t> read;  // the leaves
    uint64_t errors = 0;
    Kind kind = Kind::none;
  };
  static Seen look(const Pool& pool, int index, const Seen* before);

  std::map<uint64_t, Seen> seen_;  // of the pairs that are there
};

}  // namespace fmd::zfs
