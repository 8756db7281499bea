// RandomPool: a pool of any shape and in any state that ZFS can have, and what really happens to it
// when disks go. The second is worked out from the pool itself, not from what fmd-zfs says of it.
#pragma once
#include <map>
#include <random>
#include <set>
#include <string>

#include "plugins/zfs/pool_model.h"

namespace fmd::test {

class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}
  // 0 … sides - 1
  int roll(int sides) { return static_cast<int>(engine_() % static_cast<uint64_t>(sides)); }
  bool one_in(int n) { return roll(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

struct RandomPool {
  zfs::Pool pool;
  std::map<uint64_t, std::string> disks;  // vdev guid → FMRI of its disk
};

// name: "tank". Its disks are some of dev://wwn=0 … 23: two vdevs may share one.
RandomPool random_pool(Dice& dice, const std::string& name, uint64_t guid);

// Pulling these disks suspends the pool, or takes the last copy of something.
bool is_harmed_by(const RandomPool& pool, const std::set<std::string>& disks);

// How many more disks may fail, whichever these are, before data is lost.
int really_survives(const RandomPool& pool);

std::string described(const RandomPool& pool);  // as `zpool status` draws it, for a failed test

}  // namespace fmd::test
