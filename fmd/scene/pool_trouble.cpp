#include "fmd/scene/pool_trouble.h"

#include <algorithm>

#include "fmd/base/text.h"

namespace fmd::scene {
namespace {

// empty: healthy.
PartState grade_of_health(const std::string& health) {
  if (health.empty() || health == "ONLINE" || health == "optimal") return PartState::empty;
  const bool goes_on = health == "DEGRADED" || health == "degraded" || health == "rebuilding";
  return goes_on ? PartState::degraded : PartState::faulted;
}

}  // namespace

PoolTroubles troubles_of(const Inventory& inventory, const Accusations& accusations) {
  PoolTroubles out;
  for (const auto& [fmri, pool] : inventory.all()) {
    const bool is_array = pool.type == "md-array";
    if (!pool.present || (pool.type != "zfs-pool" && !is_array)) continue;
    // The health of a pool that does not respond is what was seen last.
    const bool responds = !pool.is("observed", "not-observed");
    const std::string health = responds ? pool.get("health") : "not responding";
    PartState grade = grade_of_health(health);
    const auto cases = accusations.of(fmri);
    if (grade == PartState::empty && cases.empty()) continue;
    const std::string name = pool.get("name");
    std::string text = is_array ? "array " : "pool ";
    text += display(name.empty() ? fmri : name, 60) + ": ";
    if (grade != PartState::empty) text += display(health, 40);
    if (!cases.empty()) {
      const Case& gravest = *cases.front();
      if (grade != PartState::empty) text += ", ";
      text += display(gravest.title.empty() ? gravest.code : gravest.title, 80);
      grade = std::max(grade, state_of(gravest));
    }
    out.emplace(fmri, PoolTrouble{grade, std::move(text)});
  }
  return out;
}

const PoolTrouble* trouble_of(const PoolTroubles& troubles, const Resource& vdev) {
  for (const std::string_view part : {"/vdev=", "/disk=", "/missing="})
    if (const size_t at = vdev.fmri.find(part); at != vdev.fmri.npos) {
      const auto found = troubles.find(std::string_view(vdev.fmri).substr(0, at));
      return found == troubles.end() ? nullptr : &found->second;
    }
  return nullptr;
}

}  // namespace fmd::scene
