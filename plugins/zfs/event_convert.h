// Converts a zevent into fmd's event: resource, and payload with derived members.
//
// Omits history_event (each snapshot posts one) and config_sync (no information). All other
// ereports, resource events and sysevents are sent. Derived members:
//   context    none | open | import | tryimport | recover | create | error   (from pool_context)
//   scan       "" | scrub | resilver: the kind of read (zio_flags, zio_priority)
//   vdev_type  as in ereports, added to events without it
//   vdev_role  data | spare | log | cache | special | dedup
// Pure.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/sdk/plugin.h"
#include "plugins/zfs/zpool_events.h"

namespace fmd::zfs {

std::string pool_fmri(uint64_t pool_guid);
std::string vdev_fmri(uint64_t pool_guid, uint64_t vdev_guid);

// Facts that the event lacks, by pool and vdev guid.
struct EventContext {
  std::function<std::string(uint64_t pool, uint64_t vdev)> vdev_type;  // "" unknown
  std::function<bool(uint64_t pool)> resilvering;  // the pool's scan is a resilver
  // The leaf that was read if the vdev is a pair; 0: no pair, or unknown.
  std::function<uint64_t(uint64_t pool, uint64_t vdev)> read_leaf;
  std::function<std::string(uint64_t pool, uint64_t vdev)> vdev_role = {};  // "" unknown
};

bool is_wanted(const ZpoolEvent& event);
std::string_view context_name(uint64_t pool_context);
std::string scan_of(const ZpoolEvent& event, bool pool_resilvers);
// nullopt if it is not wanted or names no pool.
std::optional<sdk::OutEvent> to_event(const ZpoolEvent& event, const EventContext& context);

}  // namespace fmd::zfs
