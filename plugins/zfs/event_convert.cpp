#include "plugins/zfs/event_convert.h"

#include <array>

#include "fmd/base/json.h"
#include "fmd/model/fmri.h"
#include "plugins/sdk/messages.h"

namespace fmd::zfs {
namespace {

constexpr uint64_t kPriorityScrub = 4;  // scrub and resilver reads alike
constexpr uint64_t kFlagResilver = 1 << 3, kFlagScrub = 1 << 4, kFlagScanThread = 1 << 5;

nlohmann::json to_json(const EventMember& member) {
  return std::visit([](const auto& value) { return nlohmann::json(value); }, member);
}

}  // namespace

std::string pool_fmri(uint64_t pool_guid) {
  return make_fmri("zfs", {{"pool", std::to_string(pool_guid)}});
}

std::string vdev_fmri(uint64_t pool_guid, uint64_t vdev_guid) {
  return make_fmri("zfs",
                   {{"pool", std::to_string(pool_guid)}, {"vdev", std::to_string(vdev_guid)}});
}

bool is_wanted(const ZpoolEvent& event) {
  const std::string_view name = event.event_class;
  if (name == "sysevent.fs.zfs.history_event" || name == "sysevent.fs.zfs.config_sync")
    return false;
  return name.starts_with("ereport.") || name.starts_with("resource.") ||
         name.starts_with("sysevent.");
}

std::string_view context_name(uint64_t pool_context) {  // spa_load_state_t
  constexpr std::array<std::string_view, 7> kNames = {"none",    "open",  "import", "tryimport",
                                                      "recover", "error", "create"};
  return pool_context < kNames.size() ? kNames[pool_context] : "error";
}

std::string scan_of(const ZpoolEvent& event, bool pool_resilvers) {
  const uint64_t flags = event.number("zio_flags").value_or(0);
  const bool by_scan = flags & (kFlagResilver | kFlagScrub | kFlagScanThread) ||
                       event.number("zio_priority") == kPriorityScrub;
  if (!by_scan) return "";
  if (flags & kFlagResilver) return "resilver";
  if (flags & kFlagScrub) return "scrub";
  return pool_resilvers ? "resilver" : "scrub";  // the scan's metadata reads have neither flag
}

std::optional<sdk::OutEvent> to_event(const ZpoolEvent& event, const EventContext& context) {
  const uint64_t pool = event.number("pool_guid").value_or(0);
  uint64_t vdev = event.number("vdev_guid").value_or(0);
  if (!is_wanted(event) || pool == 0) return {};
  sdk::OutEvent out;
  // If a sibling in the raidz is missing, ZFS posts a leaf's errors on the pair that contains it.
  const bool of_reads =
      event.event_class == "ereport.fs.zfs.checksum" || event.event_class == "ereport.fs.zfs.io";
  const uint64_t leaf = of_reads && vdev && context.read_leaf ? context.read_leaf(pool, vdev) : 0;
  out.event_class = event.event_class;
  out.time_ns = event.time_ns;
  out.ena = event.number("ena").value_or(0);
  out.resource = vdev ? vdev_fmri(pool, leaf ? leaf : vdev) : pool_fmri(pool);
  for (const auto& [name, value] : event.members)
    if (name != "ena" && name != "version") out.payload[name] = to_json(value);
  out.payload["eid"] = event.eid;
  out.payload["context"] = context_name(event.number("pool_context").value_or(0));
  if (event.event_class.starts_with("ereport."))
    out.payload["scan"] = scan_of(event, context.resilvering && context.resilvering(pool));
  if (leaf) {
    out.payload["posted_on"] = vdev_fmri(pool, vdev);
    out.payload.erase("vdev_type");
    vdev = leaf;
  }
  if (vdev && !out.payload.contains("vdev_type") && context.vdev_type)
    if (auto type = context.vdev_type(pool, vdev); !type.empty()) out.payload["vdev_type"] = type;
  if (vdev && context.vdev_role)
    if (auto role = context.vdev_role(pool, vdev); !role.empty()) out.payload["vdev_role"] = role;
  return out;
}

}  // namespace fmd::zfs
