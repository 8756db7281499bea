#include "plugins/zfs/pool_history.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/duration.h"
#include "plugins/zfs/event_convert.h"

namespace fmd::zfs {
namespace {

constexpr size_t kMaxGone = 1000;

// Members added to a pair: all but the first.
bool newcomer(const Pool& pool, const Vdev& vdev) {
  return vdev.index > 0 && vdev.parent > 0 && at(pool, vdev.parent).pair();
}

bool resilver_over(const Scan& scan, int64_t attached_ns, int64_t last_ended_ns) {
  const int64_t from = attached_ns - attached_ns % kSecondNs;  // zpool's dates have whole seconds
  const bool resilver_line = scan.kind == Scan::Kind::resilver;
  if (last_ended_ns > attached_ns && attached_ns && !resilver_line) return true;
  if (scan.active()) {
    // A scrub does not start while a resilver is pending.
    return scan.kind == Scan::Kind::scrub && scan.started_ns >= from;
  }
  if (scan.state != Scan::State::finished || scan.errors) return false;
  return (resilver_line ? scan.ended_ns : scan.started_ns) >= from;
}

// "PARENT-GUID/INDEX" of the slot and the order within it, by depth and position: pairs nest with
// the newer member on the right.
Memory::Place place_of(const Pool& pool, int index) {
  const Vdev& vdev = at(pool, index);
  Memory::Place place{pool.guid, "", index, vdev.leaf()};
  if (vdev.role == "cache") return place;
  const Vdev& slot = at(pool, pool.slot_of(index));
  place.slot = fmt::format("{}/{}", at(pool, slot.parent).guid, slot.index);
  return place;
}

std::map<uint64_t, Memory::Place> places_of(const std::vector<Pool>& pools) {
  std::map<uint64_t, Memory::Place> places;
  for (const Pool& pool : pools)
    for (size_t i = 1; i < pool.vdevs.size(); ++i)
      places[pool.vdevs[i].guid] = place_of(pool, static_cast<int>(i));
  // A spare shared by several pools has the same GUID in all of them: the vdev that it replaces
  // gives its place.
  for (const Pool& pool : pools)
    for (const Vdev& spare : pool.spares)
      places.try_emplace(spare.guid, Memory::Place{pool.guid, "", 0, true});
  return places;
}

bool is_spare(const std::vector<Pool>& pools, uint64_t guid) {
  return std::any_of(pools.begin(), pools.end(), [&](const Pool& pool) {
    return std::any_of(pool.spares.begin(), pool.spares.end(),
                       [&](const Vdev& s) { return s.guid == guid; });
  });
}

// The successor of a vdev: a leaf in its slot that is new or was added later. Not a spare.
uint64_t successor(uint64_t left, const Memory::Place& was,
                   const std::map<uint64_t, Memory::Place>& before,
                   const std::map<uint64_t, Memory::Place>& now, const std::vector<Pool>& pools) {
  uint64_t found = 0;
  if (!was.leaf || was.slot.empty()) return 0;
  for (const auto& [guid, place] : now) {
    if (guid == left || !place.leaf || place.pool != was.pool || place.slot != was.slot ||
        is_spare(pools, guid))
      continue;
    const auto old = before.find(guid);
    const bool came_later = old == before.end() || old->second.slot.empty() ||
                            (old->second.slot == was.slot && old->second.order > was.order);
    if (came_later && (found == 0 || now.at(found).order < place.order)) found = guid;
  }
  return found;
}

}  // namespace

void note_attached(Memory& memory, uint64_t vdev, int64_t time_ns) {
  auto [entry, fresh] = memory.attached_ns.try_emplace(vdev, time_ns);
  if (!fresh && entry->second >= time_ns) return;  // already known, as when the ring is read again
  entry->second = time_ns;
  memory.resilvered.erase(vdev);
}

void note_resilver_ended(Memory& memory, uint64_t pool, int64_t time_ns) {
  int64_t& last = memory.resilver_ended_ns[pool];
  last = std::max(last, time_ns);
}

void mark_resilvered(std::vector<Pool>& pools, Memory& memory, int64_t previous_ns) {
  std::set<uint64_t> present;
  for (Pool& pool : pools) {
    const auto ended = memory.resilver_ended_ns.find(pool.guid);
    const int64_t ended_ns = ended == memory.resilver_ended_ns.end() ? 0 : ended->second;
    for (Vdev& vdev : pool.vdevs) {
      if (!vdev.leaf()) continue;
      present.insert(vdev.guid);
      const bool came_in = newcomer(pool, vdev);
      auto known = memory.attached_ns.find(vdev.guid);
      // It was absent at the previous look, so it was added after that at the earliest.
      if (came_in && known == memory.attached_ns.end() && !memory.resilvered.contains(vdev.guid)) {
        const bool seen_before =
            memory.places.contains(vdev.guid) && !memory.places[vdev.guid].slot.empty();
        known = memory.attached_ns.emplace(vdev.guid, seen_before ? 0 : previous_ns).first;
      }
      if (!vdev.full || memory.resilvered.contains(vdev.guid)) continue;
      if (!came_in && known == memory.attached_ns.end()) continue;  // it was present from the start
      vdev.full = vdev.online() && resilver_over(pool.scan, known->second, ended_ns);
      if (vdev.full) memory.resilvered.insert(vdev.guid);
    }
  }
  const auto absent = [&](uint64_t guid) { return !present.contains(guid); };
  std::erase_if(memory.resilvered, absent);
  // Keeps new ones: their event may precede the look.
  std::erase_if(memory.attached_ns, [&](const auto& entry) {
    return absent(entry.first) && entry.second < previous_ns;
  });
}

void note_changes(const std::vector<Pool>& pools, Memory& memory,
                  const std::set<uint64_t>& destroyed, const std::set<uint64_t>& unseen) {
  auto now = places_of(pools);
  std::set<uint64_t> pool_guids, pools_before;
  for (const Pool& pool : pools) {
    pool_guids.insert(pool.guid);
    memory.gone.erase(pool_fmri(pool.guid));
  }
  std::map<uint64_t, Memory::Place> away;  // of exported pools, which may come back changed
  for (const auto& [guid, was] : memory.places) {
    if (unseen.contains(was.pool)) {
      away.emplace(guid, was);
      continue;
    }
    pools_before.insert(was.pool);
    if (now.contains(guid)) continue;
    Memory::Gone gone{"detached", ""};
    if (!pool_guids.contains(was.pool)) {
      gone.reason = destroyed.contains(was.pool) ? "destroyed" : "removed";
      if (!destroyed.contains(was.pool)) away.emplace(guid, was);
    } else if (const uint64_t by = successor(guid, was, memory.places, now, pools)) {
      gone = {"replaced", vdev_fmri(was.pool, by)};
    }
    memory.gone[vdev_fmri(was.pool, guid)] = std::move(gone);
  }
  for (const uint64_t pool : pools_before)
    if (!pool_guids.contains(pool))
      memory.gone[pool_fmri(pool)] = {destroyed.contains(pool) ? "destroyed" : "removed", ""};
  for (const auto& [guid, place] : now) memory.gone.erase(vdev_fmri(place.pool, guid));
  while (memory.gone.size() > kMaxGone) memory.gone.erase(memory.gone.begin());
  memory.places = std::move(now);
  memory.places.merge(away);
}

}  // namespace fmd::zfs
