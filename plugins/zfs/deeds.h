// Deeds: which of what is seen of the vdevs is fmd's doing. A command leaves an intent; what it
// asked for, once seen, is its effect and carries its key; whatever changes it afterwards, other
// than a further command of fmd's, ends that for good. Pure: works on Memory.
//
//   intent ── seen as wanted, command succeeded ──────────────▶ effect ── seen otherwise ──▶ nothing
//     │  └─── seen as wanted, end unknown ──▶ LateEffect: ask the history ──▶ alone ─▶ effect
//     └────── seen as something else, or an hour without effect ─────────────▶ nothing
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "plugins/zfs/memory.h"
#include "plugins/zfs/pool_model.h"
#include "plugins/zfs/zpool_events.h"

namespace fmd::zfs {

// What a command intended may have come about by it, or by somebody else.
struct LateEffect {
  uint64_t pool = 0, vdev = 0;
  bool spare = false;  // a spare has come in; else the state has changed
  int64_t begun_ns = 0;
};

// The state, as the deeds tell it apart: a fault from outside is "FAULTED", ZFS's own is not.
std::string state_value(const Vdev& vdev);
// The guid of the spare that stands in for a leaf, as text; "" none.
std::string spare_value(const Pool& pool, int index);
// zed: it runs, and may have degraded a vdev or used a spare without leaving a trace.
std::vector<LateEffect> note_deeds(const std::vector<Pool>& pools, Memory& memory, int64_t now_ns,
                                   bool zed);
// A state that came and went between two looks, or was so before the command that was to make it.
void note_state_event(Memory& memory, const ZpoolEvent& event);
// Who made a leaf DEGRADED, FAULTED or OFFLINE: "fmd", "administrator", or "zfs" (the kernel, or zed);
// "" it is none of these.
std::string_view state_by(const Deeds& retired, const Vdev& vdev);
// Whether a leaf whose device is no more has left with it: not one that somebody has taken out of service, in its bay or not. One that is
// pulled while it is read or written OpenZFS gives up before udev knows: 2.1 calls it UNAVAIL, 2.3 FAULTED (spa_async_fault_vdev()).
bool leaves_with_device(const Deeds& retired, const Vdev& vdev);
// "" not fmd's doing.
std::string key_of(const Deeds& deeds, uint64_t vdev);
// After a restart nobody knows how the commands ended that were under way.
void forget_ends(Memory& memory);

}  // namespace fmd::zfs
