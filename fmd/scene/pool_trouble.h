// PoolTrouble: what is wrong with a ZFS pool or an md array as a whole. Its bays get a frame in
// that colour. Pure.
#pragma once
#include <functional>
#include <map>
#include <string>

#include "fmd/scene/part_state.h"

namespace fmd::scene {

struct PoolTrouble {
  PartState grade = PartState::degraded;
  std::string text;  // cleaned, the same in every language: "pool tank: DEGRADED"
};
// By the pool's FMRI: an open case about it, or a health that is not ONLINE.
using PoolTroubles = std::map<std::string, PoolTrouble, std::less<>>;
PoolTroubles troubles_of(const Inventory& inventory, const Accusations& accusations);
// Of the pool that vdev is in; nullptr: none.
const PoolTrouble* trouble_of(const PoolTroubles& troubles, const Resource& vdev);

}  // namespace fmd::scene
