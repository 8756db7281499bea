// Deeds: records which states of vdevs fmd has caused. A command leaves an intent; once its goal is
// observed, this becomes an effect with the command's key; any later change that is not fmd's ends
// the effect for good. Pure: works on Memory.
//
//   intent ── goal seen, command succeeded ─────▶ effect ── seen otherwise ──▶ nothing
//     │  └─── goal seen, end unknown ──▶ LateEffect: ask the history ──▶ alone ─▶ effect
//     └────── other state seen, or an hour without effect ───────────▶ nothing
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "plugins/zfs/memory.h"
#include "plugins/zfs/pool_model.h"
#include "plugins/zfs/zpool_events.h"

namespace fmd::zfs {

// A goal that may have been reached by the command or by somebody else.
struct LateEffect {
  uint64_t pool = 0, vdev = 0;
  bool spare = false;  // true: a spare has come in; false: the state has changed
  int64_t begun_ns = 0;
};

// The state as used here: an external fault is "FAULTED", a fault by ZFS itself is not.
std::string state_value(const Vdev& vdev);
// The guid of the spare in use for a leaf, as text; "" none.
std::string spare_value(const Pool& pool, int index);
// zed: ZED runs and may have degraded a vdev or used a spare without leaving a record.
std::vector<LateEffect> note_deeds(const std::vector<Pool>& pools, Memory& memory, int64_t now_ns,
                                   bool zed);
// Drops what an event disproves: a state that ended between looks or preceded its command.
void note_state_event(Memory& memory, const ZpoolEvent& event);
// Who made a leaf DEGRADED, FAULTED or OFFLINE: "fmd", "administrator", or "zfs" (the kernel or
// ZED); "" in other states.
std::string_view state_by(const Deeds& retired, const Vdev& vdev);
// Whether a leaf becomes REMOVED with its device: not if somebody has taken it out of service.
// OpenZFS may give up a pulled disk before udev reports it: 2.1 as UNAVAIL, 2.3 as FAULTED
// (spa_async_fault_vdev()).
bool leaves_with_device(const Deeds& retired, const Vdev& vdev);
// The key of the command that caused it; "" not fmd.
std::string key_of(const Deeds& deeds, uint64_t vdev);
// After a restart, the ends of commands that were running are unknown.
void forget_ends(Memory& memory);

}  // namespace fmd::zfs
