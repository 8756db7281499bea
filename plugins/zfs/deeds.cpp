#include "plugins/zfs/deeds.h"

#include <algorithm>
#include <optional>

#include "fmd/base/duration.h"

namespace fmd::zfs {
namespace {

constexpr int64_t kLongestHangNs = 3600 * kSecondNs;  // for a zpool that hangs in the kernel

constexpr int64_t kTickNs = 10 * kMsNs;      // zfs's event times are rounded down to a tick
constexpr int64_t kBlindNs = 5 * kSecondNs;  // maximum age of the look before a command

enum class Seen { settled, late };

void change(std::map<uint64_t, Effect>& effects, uint64_t vdev, const std::string& value) {
  const auto old = effects.find(vdev);
  if (old != effects.end() && old->second.value != value) effects.erase(old);
}

// The kernel marks the last copy DEGRADED when told to fault it (vdev_fault()).
bool is_reached(const Intent& intent, const std::string& value) {
  if (intent.wanted.empty()) return !value.empty();
  return value == intent.wanted || (intent.wanted == "FAULTED" && value == "DEGRADED");
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
  const bool reached = is_reached(intent, value);
  if (reached && intent.end == End::unknown && !others) return Seen::late;
  if (reached && intent.end != End::unknown)
    deeds.effects[vdev] = {intent.key, value, intent.begun_ns, now_ns};
  deeds.intents.erase(found);
  return Seen::settled;
}

const Pool* pool_of(const std::vector<Pool>& pools, uint64_t vdev) {
  for (const Pool& pool : pools)
    if (pool.index_of(vdev) >= 0) return &pool;
  return nullptr;
}

// Its pool is exported: the state is read when it comes back.
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

std::string state_value(const Vdev& vdev) {
  return vdev.state == "FAULTED" && !vdev.fault_forced() ? "FAULTED by ZFS" : vdev.state;
}

std::string_view state_by(const Deeds& retired, const Vdev& vdev) {
  if (vdev.state != "DEGRADED" && vdev.state != "FAULTED" && vdev.state != "OFFLINE") return "";
  const std::string value = state_value(vdev);
  const auto effect = retired.effects.find(vdev.guid);
  if (effect != retired.effects.end() && effect->second.value == value) return "fmd";
  // fmd's command is not confirmed yet, but is the most likely cause.
  const auto intent = retired.intents.find(vdev.guid);
  if (intent != retired.intents.end() && is_reached(intent->second, value)) return "fmd";
  return vdev.state == "OFFLINE" || vdev.fault_forced() ? "administrator" : "zfs";
}

bool leaves_with_device(const Deeds& retired, const Vdev& vdev) {
  return vdev.usable() || vdev.state == "UNAVAIL" ||
         (vdev.state == "FAULTED" && state_by(retired, vdev) == "zfs");
}

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
      const std::string value = spare ? spare_value(*pool, index) : state_value(at(*pool, index));
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
  auto& [intents, effects] = memory.retired;
  const auto was_so = [&](const std::string& wanted, int64_t begun_ns) {
    return state_change && state == wanted && event.time_ns < begun_ns - kTickNs &&
           event.time_ns > begun_ns - kBlindNs;
  };
  if (const auto found = intents.find(vdev);
      found != intents.end() && was_so(found->second.wanted, found->second.begun_ns))
    intents.erase(found);
  const auto effect = effects.find(vdev);
  if (effect == effects.end()) return;
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
