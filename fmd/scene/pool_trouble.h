// PoolTrouble: the trouble of a ZFS pool or md array as a whole. Pictures show it as a frame around
// the pool's bays. Pure.
#pragma once
#include <functional>
#include <map>
#include <string>

#include "fmd/scene/part_state.h"

namespace fmd::scene {

struct PoolTrouble {
  PartState grade = PartState::degraded;
  std::string text;  // cleaned, not translated: "pool tank: DEGRADED"
};
// By the pool's FMRI: an open case about it, or a health other than ONLINE.
using PoolTroubles = std::map<std::string, PoolTrouble, std::less<>>;
PoolTroubles troubles_of(const Inventory& inventory, const Accusations& accusations);
// The trouble of the vdev's pool, or nullptr.
const PoolTrouble* trouble_of(const PoolTroubles& troubles, const Resource& vdev);

}  // namespace fmd::scene
