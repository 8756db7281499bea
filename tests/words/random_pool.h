// RandomPool: a pool of any shape and in any state possible in ZFS, and the real effect of removing
// disks. The effect is derived from the pool itself, not from fmd-zfs's description.
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

// name: "tank". Its disks are some of dev://wwn=0 … 23; two vdevs may share a disk.
RandomPool random_pool(Dice& dice, const std::string& name, uint64_t guid);

// Whether pulling these disks suspends the pool, or removes the last copy of something.
bool is_harmed_by(const RandomPool& pool, const std::set<std::string>& disks);

// How many more disks may fail, whichever they are, before data is lost.
int really_survives(const RandomPool& pool);

std::string described(const RandomPool& pool);  // like `zpool status`, for messages of failed tests

}  // namespace fmd::test
