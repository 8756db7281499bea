#include "plugins/zfs/inventory.h"

#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/duration.h"
#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "plugins/zfs/deeds.h"
#include "plugins/zfs/event_convert.h"
#include "plugins/zfs/pool_past.h"
#include "plugins/zfs/redundancy.h"
#include "plugins/zfs/spare_choice.h"

namespace fmd::zfs {
namespace {

using nlohmann::json;

std::string_view scan_word(const Scan& scan) {
  return scan.active() ? kind_word(scan.kind) : "none";
}

json edge_to(std::string fmri) {
  return {{"relation", "redundancy"}, {"to", std::move(fmri)}};
}

void add_properties(json& properties, const InventoryContext& context, uint64_t guid) {
  if (!context.properties) return;
  if (const auto found = context.properties->find(guid); found != context.properties->end())
    for (const auto& [name, value] : found->second) properties[name] = value;
}

json common_properties(const Pool& pool, const Vdev& vdev) {
  return {{"name", vdev.name},
          {"pool", pool.name},
          {"vdev_type", vdev.type},
          {"role", vdev.role},
          {"position", vdev.index},
          {"state", vdev.state},
          {"read_errors", vdev.read_errors},
          {"write_errors", vdev.write_errors},
          {"checksum_errors", vdev.checksum_errors},
          {"slow_ios", vdev.slow_ios},
          {"group", pool_fmri(pool.guid)}};
}

void add_spare(json& properties, const Pool& pool, int index, const InventoryContext& context) {
  const int spare = pool.spare_for(index);
  properties["spare"] = spare < 0 ? "none" : at(pool, spare).full ? "active" : "resilvering";
  if (spare >= 0) properties["spare_by"] = vdev_fmri(pool.guid, at(pool, spare).guid);
  const std::string replace_refused = replace_refusal(pool, index);
  const std::string refused = replace_refused.empty() ? spare_hold(pool, index) : replace_refused;
  const bool may = context.automatic_spare && refused.empty();
  const int available = may ? spares_available(pool, index) : 0;
  properties["spares_available"] = available;
  const std::string only_copy = only_copy_refusal(pool, index);
  if (!only_copy.empty()) properties["only_copy"] = true;
  if (!replace_refused.empty() || !only_copy.empty())
    properties["replace_refusal"] = replace_refused.empty() ? only_copy : replace_refused;
  if (!may) properties["spare_refusal"] = context.automatic_spare ? refused : std::string(kNoSpare);
  const std::string& role = at(pool, index).role;
  if (role == "cache" || role == "log") properties["takes_spare"] = false;
  const bool alone = context.retire_only_with_spare && spare < 0 && available == 0;
  const std::string_view wish = alone ? kOnlyWithSpare : "";
  for (auto [name, refusal] :
       {std::pair("retire_refusal", retire_refusal(pool, at(pool, index).guid)),
        {"degrade_refusal", degrade_refusal(pool, at(pool, index).guid)}})
    if (!refusal.empty() || alone) properties[name] = refusal.empty() ? std::string(wish) : refusal;
}

void add_losses_left(json& properties, const Pool& pool, int index) {
  const auto left = losses_left_without(pool, index);
  if (!left) return;
  properties["losses_left"] = *left;
  properties["losses_group"] = at(pool, pool.top_of(index)).name;
}

void add_replacing(json& properties, const Pool& pool, int index) {
  const int pair = pool.pair_of(index, "replacing");
  if (pair < 0) return;
  const int newest = at(pool, pair).children.back();
  if (newest != index) properties["replacing"] = vdev_fmri(pool.guid, at(pool, newest).guid);
}

void add_keys(json& properties, const Pool& pool, const InventoryContext& context, uint64_t guid) {
  if (!context.memory) return;
  if (const Vdev* vdev = pool.find(guid); vdev)
    if (const auto by = state_by(context.memory->retired, *vdev); !by.empty())
      properties["state_by"] = by;
  if (context.record)
    if (auto record = context.record(guid); !record.empty())
      properties["state_record"] = std::move(record);
  if (auto key = key_of(context.memory->retired, guid); !key.empty())
    properties["retired_by"] = std::move(key);
  if (auto key = key_of(context.memory->spared, guid); !key.empty())
    properties["spare_key"] = std::move(key);
}

// Whether another disk, or its own without its label, is in the place of an unusable disk, which is
// what `autoreplace` needs. The own disk of a FAULTED vdev is bad, with or without its label.
void add_place(json& properties, const Pool& pool, const Vdev& vdev,
               const InventoryContext& context) {
  if (!context.in_place) return;
  properties["autoreplace"] = pool.autoreplace;
  properties["place"] = "own";
  const bool gone = vdev.state == "UNAVAIL" || vdev.state == "REMOVED";
  if (!gone && vdev.state != "FAULTED") return;
  const std::string disk = context.in_place(vdev);
  const bool another = context.disk && context.disk(vdev) != disk;
  const bool unlabelled = gone && !(context.bears_label && context.bears_label(vdev));
  if (disk.empty())
    properties["place"] = "empty";
  else if (another || unlabelled)
    properties.update({{"place", "other"}, {"place_disk", disk}});
}

json leaf_resource(const Pool& pool, int index, const InventoryContext& context) {
  const Vdev& vdev = at(pool, index);
  json properties = common_properties(pool, vdev);
  properties["parent_type"] = at(pool, vdev.parent).type;
  properties["path"] = vdev.path;
  if (vdev.former) properties["former_path"] = vdev.path;
  if (is_one_of_partitions(vdev.path)) properties["partition"] = true;
  if (context.is_mapped && context.is_mapped(vdev)) properties["mapped"] = true;
  properties["checksum_own"] = own_checksum_errors(pool, index);
  if (vdev.role == "data" || vdev.role == "special" || vdev.role == "dedup")
    properties["failures_left"] = failures_left(pool, index);
  properties["service"] = service_word(vdev.state);
  if (vdev.state == "UNAVAIL") properties["lost"] = true;
  add_place(properties, pool, vdev, context);
  properties["busy"] = busy_word(pool.work());
  if (!vdev.note.empty()) properties["note"] = vdev.note;
  add_spare(properties, pool, index, context);
  if (const std::string beside = stuck_beside(pool, index); !beside.empty())
    properties["stuck_beside"] = beside;
  if (vdev.role == "spare") properties["stuck"] = properties.contains("stuck_beside");
  if (is_superseded(pool, index)) properties["superseded"] = true;
  add_losses_left(properties, pool, index);
  add_replacing(properties, pool, index);
  add_properties(properties, context, vdev.guid);
  add_keys(properties, pool, context, vdev.guid);
  json edges = json::array();
  if (context.disk)
    if (auto disk = context.disk(vdev); !disk.empty()) edges.push_back(edge_to(std::move(disk)));
  return {{"fmri", vdev_fmri(pool.guid, vdev.guid)},
          {"type", "zfs-vdev"},
          {"properties", std::move(properties)},
          {"edges", std::move(edges)}};
}

std::string leaf_names(const Pool& pool, int index) {
  const Vdev& vdev = at(pool, index);
  if (vdev.leaf()) return vdev.name;
  std::string names;
  for (const int child : vdev.children)
    names += (names.empty() ? "" : " and ") + leaf_names(pool, child);
  return names;
}

// Whether somebody else has marked a disk of this slot, and no disk of the slot is healthy.
bool is_marked(const Pool& pool, int slot, const InventoryContext& context) {
  static const Deeds kNone;
  std::vector<int> below{slot};
  bool marked = false;
  while (!below.empty()) {
    const Vdev& vdev = at(pool, below.back());
    below.pop_back();
    below.insert(below.end(), vdev.children.begin(), vdev.children.end());
    if (!vdev.leaf()) continue;
    if (vdev.online()) return false;
    const auto by = state_by(context.memory ? context.memory->retired : kNone, vdev);
    marked = marked || (vdev.state == "DEGRADED" && by != "fmd");
  }
  return marked;
}

void add_degraded(json& properties, const Pool& pool, int index, const InventoryContext& context) {
  const Vdev& group = at(pool, index);
  const std::string& type = group.type;
  if (pool.top_of(index) != index || (type != "raidz" && type != "draid" && type != "mirror"))
    return;
  const auto disks = static_cast<int64_t>(group.children.size());
  const int64_t tolerated = type == "mirror" ? disks - 1 : parity_of(group);
  const int64_t marked = std::count_if(group.children.begin(), group.children.end(),
                                       [&](int slot) { return is_marked(pool, slot, context); });
  properties["disks"] = disks;
  properties["degraded"] = marked;
  properties["beyond_tolerance"] = marked > tolerated && group.role != "log";
}

json inner_resource(const Pool& pool, int index, const InventoryContext& context) {
  const Vdev& vdev = at(pool, index);
  json properties = common_properties(pool, vdev);
  properties["parent_type"] = at(pool, vdev.parent).type;
  if (vdev.pair()) properties["leaves"] = leaf_names(pool, index);
  if (context.pair_errors)
    if (const auto whose = context.pair_errors->of(vdev.guid); !whose.empty())
      properties["errors_of"] = whose;
  if (const int parity = parity_of(vdev)) properties["parity"] = parity;
  add_degraded(properties, pool, index, context);
  add_properties(properties, context, vdev.guid);
  json edges = json::array();
  for (const int child : vdev.children)
    edges.push_back(edge_to(vdev_fmri(pool.guid, at(pool, child).guid)));
  return {{"fmri", vdev_fmri(pool.guid, vdev.guid)},
          {"type", "zfs-vdev"},
          {"properties", std::move(properties)},
          {"edges", std::move(edges)}};
}

json spare_resource(const Pool& pool, const Vdev& spare, const InventoryContext& context) {
  json properties = common_properties(pool, spare);
  properties["path"] = spare.path;
  properties["parent_type"] = "none";
  // ZFS reports a missing spare as AVAIL until it needs it and opens it.
  if (context.device_there && spare.type == "disk")
    properties["device"] = context.device_there(spare) ? "there" : "missing";
  properties["service"] = service_word(spare.state);
  properties["busy"] = busy_word(pool.work());
  properties["spare"] = "none";
  properties["spares_available"] = 0;
  properties["stuck"] = false;  // explicit, so that the rule sees when it is free again
  properties["retire_refusal"] = retire_refusal(pool, spare.guid);
  if (!spare.note.empty()) properties["note"] = spare.note;
  json edges = json::array();
  if (context.disk)
    if (auto disk = context.disk(spare); !disk.empty()) edges.push_back(edge_to(std::move(disk)));
  return {{"fmri", vdev_fmri(pool.guid, spare.guid)},
          {"type", "zfs-vdev"},
          {"properties", std::move(properties)},
          {"edges", std::move(edges)}};
}

// "/tank/a, /tank/b and 15 more".
std::string damaged_words(const Pool& pool) {
  constexpr size_t kMostNames = 10, kMostOfOne = 90;  // limits the length of messages
  std::string words;
  const size_t shown = std::min(pool.damaged.size(), kMostNames);
  for (size_t i = 0; i < shown; ++i)
    words += (i ? ", " : "") + display(pool.damaged[i], kMostOfOne);
  if (pool.damaged.size() > shown)
    words += fmt::format(" and {} more", pool.damaged.size() - shown);
  return words;
}

void add_scrub(json& properties, const Pool& pool, const InventoryContext& context) {
  constexpr int64_t kDayNs = 24 * 3600 * kSecondNs;
  if (!context.memory) return;
  const auto known = context.memory->pools.find(pool.guid);
  if (known == context.memory->pools.end()) return;
  const Memory::PoolPast& past = known->second;
  const int64_t since = past.scrub_ended_ns ? past.scrub_ended_ns : past.first_seen_ns;
  properties["scrub_days"] = std::max<int64_t>(0, (context.now_ns - since) / kDayNs);
  properties["scrubbed"] = past.scrub_ended_ns > 0;
  if (past.scrub_ended_ns) properties["scrub_repaired"] = past.scrub_repaired;
}

json pool_resource(const Pool& pool, const InventoryContext& context) {
  const Scan& scan = pool.work();
  json properties = {{"name", pool.name},      {"health", pool.health},
                     {"errors", pool.errors},  {"scan", scan_word(scan)},
                     {"scan_text", scan.text}, {"last_scan_text", context.last_scan}};
  properties["spares_available"] = std::count_if(pool.spares.begin(), pool.spares.end(),
                                                 [](const Vdev& s) { return s.state == "AVAIL"; });
  if (scan.active()) {
    properties["scan_percent"] = scan.percent;
    properties["scan_rate_bytes"] = static_cast<uint64_t>(scan.rate_bytes);
    properties["scan_paused"] = scan.state == Scan::State::paused;
    if (scan.started_ns) properties["scan_started"] = scan.started_ns;
    if (scan.seconds_left) properties["scan_seconds_left"] = *scan.seconds_left;
  }
  properties["autoreplace"] = pool.autoreplace;
  properties["observed"] = context.observed ? "observed" : "not-observed";
  if (!context.observed && context.import_runs) properties["waits_for"] = "import";
  if (pool.suspended()) properties["suspended_by"] = pool.by_multihost ? "multihost" : "errors";
  // All data is there: zpool-status(8) calls the pool FAULTED until its log is read or given up.
  if (pool.stopped() && pool.vdevs.front().note.find("bad intent log") != std::string::npos)
    properties["unusable_by"] = "intent-log";
  if (pool.capacity) properties["capacity_percent"] = *pool.capacity;
  add_scrub(properties, pool, context);
  // In a suspended pool these errors come from missing disks. Real loss shows once they are back.
  if (pool.data_errors && !pool.stopped()) {
    properties["data_errors"] = *pool.data_errors;
    properties["damaged"] = damaged_words(pool);
  }
  add_properties(properties, context, pool.guid);
  json edges = json::array();
  for (const int top : pool.vdevs.front().children)
    if (at(pool, top).role != "cache")
      edges.push_back(edge_to(vdev_fmri(pool.guid, at(pool, top).guid)));
  return {{"fmri", pool_fmri(pool.guid)},
          {"type", "zfs-pool"},
          {"properties", std::move(properties)},
          {"edges", std::move(edges)}};
}

}  // namespace

std::string_view service_word(std::string_view state) {
  if (state == "ONLINE" || state == "AVAIL" || state == "INUSE") return "in-service";
  if (state == "DEGRADED") return "degraded";
  if (state == "FAULTED" || state == "OFFLINE" || state == "UNAVAIL") return "out-of-service";
  if (state == "REMOVED") return "removed";
  return "unknown";
}

json missing_pool(uint64_t guid, const std::string& name) {
  return {{"fmri", pool_fmri(guid)},
          {"type", "zfs-pool"},
          {"properties", {{"name", name}, {"health", "NOT IMPORTED"}}},
          {"edges", json::array()}};
}

std::map<std::string, json> pool_resources(const Pool& pool, const InventoryContext& context) {
  std::map<std::string, json> resources;
  const auto add = [&](json resource) {
    resources.emplace(resource["fmri"].get<std::string>(), std::move(resource));
  };
  add(pool_resource(pool, context));
  for (size_t i = 1; i < pool.vdevs.size(); ++i) {
    const int index = static_cast<int>(i);
    add(pool.vdevs[i].leaf() ? leaf_resource(pool, index, context)
                             : inner_resource(pool, index, context));
  }
  for (const Vdev& spare : pool.spares) add(spare_resource(pool, spare, context));
  return resources;
}

}  // namespace fmd::zfs
