#include "plugins/zfs/deeds.h"

#include <algorithm>
#include <optional>

#include "fmd/base/duration.h"

namespace fmd::zfs {
namespace {

constexpr int64_t kLongestHangNs = 3600 * kSecondNs;  // for a zpool that hangs in the kernel

constexpr int64_t kTickNs = 10 * kMsNs;      // zfs's event times are those of the last tick
constexpr int64_t kBlindNs = 5 * kSecondNs;  // the look before a command is not older

enum class Seen { settled, late };

// It has become something else: that which fmd had made before, or nobody knows whose. Events since
// the upper one was seen may still be to come, and tell what was in between.
void change(std::map<uint64_t, Effect>& effects, uint64_t vdev, const std::string& value) {
  const auto old = effects.find(vdev);
  if (old == effects.end() || old->second.value == value) return;
  const auto below = old->second.below;
  const int64_t seen_ns = old->second.seen_ns;
  if (!below || below->value != value) {
    effects.erase(old);
    return;
  }
  old->second = {*below, {}};
  old->second.seen_ns = seen_ns;
}

Seen note(Deeds& deeds, uint64_t vdev, const std::string& value, int64_t now_ns, bool others) {
  change(deeds.effects, vdev, value);
  const auto found = deeds.intents.find(vdev);
  if (found == deeds.intents.end()) return Seen::settled;
  const Intent& intent = found->second;
  using End = Intent::End;
  if (intent.end == End::running) return Seen::settled;
  if (value == intent.before) {
    const bool waiting = now_ns >= intent.begun_ns && now_ns - intent.begun_ns < kLongestHangNs;
    if (!waiting) deeds.intents.erase(found);
    return Seen::settled;
  }
  const bool reached = intent.wanted.empty() ? !value.empty() : value == intent.wanted;
  if (reached && intent.end == End::unknown && !others) return Seen::late;
  if (reached && intent.end != End::unknown)
    deeds.effects[vdev] = {{intent.key, value, intent.begun_ns, now_ns}, intent.below};
  deeds.intents.erase(found);
  return Seen::settled;
}

const Pool* pool_of(const std::vector<Pool>& pools, uint64_t vdev) {
  for (const Pool& pool : pools)
    if (pool.index_of(vdev) >= 0) return &pool;
  return nullptr;
}

// Its pool is exported: what it is will be seen when it comes back.
bool away(const std::vector<Pool>& pools, const Memory& memory, uint64_t vdev) {
  const auto place = memory.places.find(vdev);
  return place != memory.places.end() &&
         std::none_of(pools.begin(), pools.end(),
                      [&](const Pool& pool) { return pool.guid == place->second.pool; });
}

std::vector<uint64_t> vdevs_of(const Deeds& deeds) {
  std::vector<uint64_t> vdevs;
  for (const auto& [vdev, intent] : deeds.intents) vdevs.push_back(vdev);
  for (const auto& [vdev, effect] : deeds.effects)
    if (!deeds.intents.contains(vdev)) vdevs.push_back(vdev);
  return vdevs;
}

}  // namespace

std::string spare_value(const Pool& pool, int index) {
  const int spare = pool.spare_for(index);
  return spare < 0 ? "" : std::to_string(at(pool, spare).guid);
}

std::vector<LateEffect> note_deeds(const std::vector<Pool>& pools, Memory& memory, int64_t now_ns,
                                   bool zed) {
  std::vector<LateEffect> late;
  for (Deeds* deeds : {&memory.retired, &memory.spared}) {
    const bool spare = deeds == &memory.spared;
    for (const uint64_t vdev : vdevs_of(*deeds)) {
      const Pool* pool = pool_of(pools, vdev);
      if (!pool) {
        if (away(pools, memory, vdev)) continue;
        deeds->intents.erase(vdev);
        deeds->effects.erase(vdev);
        continue;
      }
      const int index = pool->index_of(vdev);
      const std::string value = spare ? spare_value(*pool, index) : at(*pool, index).state;
      const bool others = zed && (spare || value == "DEGRADED");
      if (note(*deeds, vdev, value, now_ns, others) == Seen::late)
        late.push_back({pool->guid, vdev, spare, deeds->intents[vdev].begun_ns});
    }
  }
  return late;
}

void note_state_event(Memory& memory, const ZpoolEvent& event) {
  const uint64_t vdev = event.number("vdev_guid").value_or(0);
  const std::string state(event.text("vdev_state"));
  const bool state_change = event.event_class == "resource.fs.zfs.statechange";
  const bool online = event.event_class == "sysevent.fs.zfs.vdev_online";
  const bool clear = event.event_class == "sysevent.fs.zfs.vdev_clear";
  auto& [intents, effects] = memory.retired;
  const auto was_so = [&](const std::string& wanted, int64_t begun_ns) {
    return state_change && state == wanted && event.time_ns < begun_ns - kTickNs &&
           event.time_ns > begun_ns - kBlindNs;
  };
  // Cleared although something else hides it, or changed in between.
  const auto end_below = [&](std::optional<Made>& below, const std::string& above) {
    if (!below || event.time_ns <= below->seen_ns) return;
    if (clear || (state_change && state != above && state != below->value)) below.reset();
  };
  if (const auto found = intents.find(vdev); found != intents.end()) {
    end_below(found->second.below, found->second.wanted);
    if (was_so(found->second.wanted, found->second.begun_ns)) intents.erase(found);
  }
  const auto effect = effects.find(vdev);
  if (effect == effects.end()) return;
  end_below(effect->second.below, effect->second.value);
  if (was_so(effect->second.value, effect->second.begun_ns))
    effects.erase(effect);
  else if (event.time_ns > effect->second.seen_ns && (state_change || online))
    change(effects, vdev, state);
}

std::string key_of(const Deeds& deeds, uint64_t vdev) {
  const auto found = deeds.effects.find(vdev);
  return found == deeds.effects.end() ? "" : found->second.key;
}

void forget_ends(Memory& memory) {
  for (Deeds* deeds : {&memory.retired, &memory.spared})
    for (auto& [vdev, intent] : deeds->intents)
      if (intent.end == Intent::End::running || intent.end == Intent::End::succeeded)
        intent.end = Intent::End::unknown;
}

}  // namespace fmd::zfs
