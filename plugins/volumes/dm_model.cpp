#include "plugins/volumes/dm_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "fmd/base/json.h"
#include "fmd/model/fmri.h"
#include "fmd/model/last_copy.h"
#include "plugins/hardware/disk_identity.h"
#include "plugins/sdk/messages.h"

namespace fmd::volumes {
namespace {

using nlohmann::json;

constexpr uint64_t kDmSector = 512;
constexpr int kMostLayers = 8;  // a volume on a mirror on LUKS on …

uint64_t number_in(const std::string& text) {
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string places_key(const std::string& target) {
  return target.substr(target.rfind('/') + 1);
}

std::map<std::string, std::string> by_path(const sdk::Host& host) {
  std::map<std::string, std::string> out;
  if (const auto links = host.list("/dev/disk/by-path"))
    for (const std::string& link : *links)
      if (const auto target = host.read_link("/dev/disk/by-path/" + link))
        out.emplace(places_key(*target), link);
  return out;
}

// The devices below the maps, read on demand.
class Below {
 public:
  Below(const sdk::Host& host, const std::vector<DmMap>& known) : host_(host) {
    for (const DmMap& map : known)
      for (const DmDevice& device : map.below) known_[device.name] = &device;
  }

  DmDevice device(const std::string& name) {
    const std::string diskseq = host_.read("/sys/class/block/" + name + "/diskseq").value_or("");
    const auto before = known_.find(name);
    if (before != known_.end() && !diskseq.empty() && before->second->diskseq == diskseq &&
        !before->second->place.empty() && !before->second->disk.empty())
      return *before->second;
    DmDevice out{name, host_.read("/sys/class/block/" + name + "/dev").value_or(""), "", "",
                 diskseq};
    if (const auto identity = hardware::identify_disk(host_, name)) out.disk = identity->fmri;
    if (!places_) places_ = by_path(host_);
    if (const auto at = places_->find(name); at != places_->end()) out.place = at->second;
    return out;
  }

  // Collects the disks below a volume, without duplicates.
  void collect(const std::string& name, std::vector<DmDevice>& out,
               const std::vector<std::string>& via = {}, bool below_md = false, int depth = 0) {
    const std::string folder = "/sys/class/block/" + name;
    const auto slaves = host_.list(folder + "/slaves");
    if (slaves && !slaves->empty() && depth < kMostLayers) {
      std::vector<std::string> below = via;
      const std::string map = host_.read(folder + "/dm/name").value_or("");
      if (depth > 0 && !map.empty()) below.push_back(map);
      for (const std::string& slave : *slaves)
        collect(slave, out, below, below_md || name.starts_with("md"), depth + 1);
      return;
    }
    DmDevice found = device(name);
    found.via = via;
    found.below_md = below_md;
    const std::string& who = found.disk.empty() ? name : found.disk;
    const auto before = std::find_if(out.begin(), out.end(), [&](const DmDevice& one) {
      return (one.disk.empty() ? one.name : one.disk) == who;
    });
    if (depth == 0) return;
    if (before == out.end()) return out.push_back(std::move(found));
    before->via.insert(before->via.end(), found.via.begin(), found.via.end());
    before->below_md &= below_md;
  }

 private:
  const sdk::Host& host_;
  std::map<std::string, const DmDevice*> known_;
  std::optional<std::map<std::string, std::string>> places_;
};

// The UUID of a hidden LVM volume (leg, metadata, cache) has a suffix after its 64 characters. A pool's is hidden as well: "-tpool"
// if it has LVM's volumes, else "-pool"; then the "-pool" beside a "-tpool" is a name for people, on top of it.
bool is_lvm_volume(const sdk::Host& host, const std::string& folder, std::string_view uuid) {
  constexpr size_t kVolume = 68;
  if (!uuid.starts_with("LVM-") || uuid.size() < kVolume) return false;
  const std::string_view layer = uuid.substr(kVolume);
  if (layer != "-pool") return layer.empty() || layer == kThinPoolLayer || layer == kVdoPoolLayer;
  const auto slaves = host.list(folder + "/slaves");
  return slaves && std::none_of(slaves->begin(), slaves->end(), [&](const std::string& slave) {
           const auto below = host.read("/sys/class/block/" + slave + "/dm/uuid");
           return below && (below->ends_with(kThinPoolLayer) || below->ends_with(kVdoPoolLayer));
         });
}

// "vg--a-root" → "vg-a/root", as LVM's commands take it: device-mapper doubles the hyphens of both names.
std::string lvm_name(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool doubled = name[i] == '-' && i + 1 < name.size() && name[i + 1] == '-';
    out += name[i] == '-' && !doubled ? '/' : name[i];
    if (doubled) ++i;
  }
  return out;
}

// The end of the name of a pool's map that its volume's name lacks.
std::string_view pool_layer(std::string_view uuid) {
  for (const std::string_view layer : {kThinPoolLayer, kVdoPoolLayer})
    if (uuid.ends_with(layer)) return layer;
  return {};
}

json edges_to_disks(const DmMap& map, const char* relation) {
  std::set<std::string> disks;
  for (const DmDevice& d : map.below)
    if (!d.disk.empty()) disks.insert(d.disk);
  json edges = json::array();
  for (const std::string& disk : disks) edges.push_back(sdk::edge(relation, disk));
  return edges;
}

// The disk plugin tells of the same path, and of its errors.
std::string path_fmri(const DmMap& map, const DmDevice& device) {
  if (!device.place.empty()) return make_fmri("dev", {{"path", device.place}});
  return make_fmri("dm", {{"uuid", map.uuid}, {"path", device.name}});
}

void add_multipath(const DmMap& map, const DmStatus* status, const MostPaths& most,
                   std::map<std::string, json>& out) {
  json p{{"name", map.name},
         {"path", "/dev/mapper/" + map.name},
         {"device", "/dev/" + map.device},
         {"size_bytes", map.size_bytes},
         {"paths", map.below.size()}};
  const auto known = most.find(map.uuid);
  const size_t expected = known == most.end() ? map.below.size() : known->second;
  p["paths_missing"] = expected - std::min(expected, map.below.size());
  const std::vector<MultipathPath>* told = nullptr;
  if (status)
    if (const auto at = status->multipath.find(map.name); at != status->multipath.end())
      told = &at->second;
  if (map.below.empty()) p["health"] = "failed";
  if (told) {
    const auto state_of = [&](const DmDevice& device) {
      return std::find_if(told->begin(), told->end(),
                          [&](const MultipathPath& path) { return path.dev == device.dev; });
    };
    const auto active =
        std::count_if(map.below.begin(), map.below.end(), [&](const DmDevice& device) {
          const auto at = state_of(device);
          return at != told->end() && at->active;
        });
    const char* health = active == 0                                      ? "failed"
                         : static_cast<size_t>(active) < map.below.size() ? "degraded"
                                                                          : "optimal";
    p["paths_active"] = active;
    p["health"] = health;
    for (const DmDevice& device : map.below) {
      const auto at = state_of(device);
      if (at == told->end()) continue;
      const std::string fmri = path_fmri(map, device);
      out[fmri] = sdk::resource(fmri, "path",
                                {{"name", device.place.empty() ? device.name : device.place},
                                 {"device", "/dev/" + device.name},
                                 {"multipath", map.name},
                                 {"multipath_health", health},
                                 {"multipath_state", at->active ? "active" : "failed"},
                                 {"multipath_failures", at->failures}},
                                edges_to_disks({"", "", "", 0, {device}}, "path"));
    }
  }
  out[dm_fmri(map)] =
      sdk::resource(dm_fmri(map), "multipath", std::move(p), edges_to_disks(map, "path"));
}

bool is_lost(char leg) {
  return leg == 'D' || leg == '-';
}

bool is_idle(const DmRaid& raid) {
  return raid.action == "idle" || raid.action == "frozen" || raid.action.empty();
}

// dm-raid calls every leg 'a' while it makes the legs of a new volume, or those after a crash, equal:
// each may then be the only one with the latest data.
bool makes_equal(const DmRaid& raid) {
  return raid.action == "resync" || raid.action == "reshape";
}

// Whether more legs are lost than the level survives. raid10: two copies on adjacent legs, as LVM
// arranges them.
bool exceeds_level(const DmRaid& raid) {
  const std::string& legs = raid.legs;
  const auto lost = static_cast<size_t>(std::count_if(legs.begin(), legs.end(), is_lost));
  const auto is_level = [&](const char* level) { return raid.level.starts_with(level); };
  if (is_level("raid10")) {
    for (size_t leg = 0; leg + 1 < legs.size(); leg += 2)
      if (is_lost(legs[leg]) && is_lost(legs[leg + 1])) return true;
    return false;
  }
  if (is_level("raid0")) return lost > 0;
  if (is_level("raid1")) return lost == legs.size();
  if (is_level("raid4") || is_level("raid5")) return lost > 1;
  return is_level("raid6") && lost > 2;
}

// A leg that is being filled is no copy yet of what a lost one had.
bool has_lost_data(DmRaid raid) {
  if (std::none_of(raid.legs.begin(), raid.legs.end(), is_lost)) return false;
  if (!makes_equal(raid)) std::replace(raid.legs.begin(), raid.legs.end(), 'a', 'D');
  return exceeds_level(raid);
}

// A leg that is out of sync while being filled has not failed. If nothing fills it, it counts as
// lost: its disk is back, but LVM does not use it before 'lvchange --refresh'.
std::string raid_health(const DmRaid& raid) {
  if (has_lost_data(raid)) return "failed";
  if (std::any_of(raid.legs.begin(), raid.legs.end(), is_lost)) return "degraded";
  const bool incomplete = raid.legs.find('a') != std::string::npos;
  return !incomplete ? "optimal" : is_idle(raid) ? "degraded" : "rebuilding";
}

void add_raid(const DmRaid& raid, json& p) {
  p["level"] = raid.level;
  p["health"] = raid_health(raid);
  if (p["health"] == "failed")
    p["reason"] = raid.level + " has lost more of its legs than it survives";
  p["legs"] = raid.legs;
  p["mismatches"] = raid.mismatches;
  const bool idle = is_idle(raid);
  const bool check = raid.action == "check" || raid.action == "repair";
  p["scan"] = idle ? "none" : check ? "scrub" : raid.action == "reshape" ? "reshape" : "resilver";
  if (!idle && raid.all > 0)
    p["scan_percent"] =
        std::round(static_cast<double>(raid.done) / static_cast<double>(raid.all) * 1000) / 10;
}

// "vg0-data_rimage_1": leg 1 of the raid. -1: no leg.
int leg_of(const DmDevice& device) {
  constexpr std::string_view kLeg = "_rimage_", kOlderLeg = "_mimage_";
  int leg = -1;
  for (const std::string& map : device.via)
    for (const std::string_view word : {kLeg, kOlderLeg})
      if (const size_t at = map.rfind(word); at != map.npos) {
        const std::string number = map.substr(at + word.size());
        std::from_chars(number.data(), number.data() + number.size(), leg);
      }
  return leg;
}

// Whether the raid would lose data without this leg, or may already have lost it with this one.
bool needs_leg(DmRaid raid, int leg) {
  if (has_lost_data(raid)) return true;
  const bool known = leg >= 0 && static_cast<size_t>(leg) < raid.legs.size();
  if (makes_equal(raid)) return !known || !is_lost(raid.legs[static_cast<size_t>(leg)]);
  std::replace(raid.legs.begin(), raid.legs.end(), 'a', 'D');
  if (known) {
    char& state = raid.legs[static_cast<size_t>(leg)];
    if (is_lost(state)) return false;
    state = 'D';
    return exceeds_level(raid);
  }
  for (size_t other = 0; other < raid.legs.size(); ++other)
    if (!is_lost(raid.legs[other]) && needs_leg(raid, static_cast<int>(other))) return true;
  return false;
}

// Whether the volume would lose data without this disk. An md array below answers for itself.
bool needs_disk(const DmMap& map, const DmDevice& device, const DmStatus& status) {
  if (device.below_md) return false;
  std::vector<std::string> layers{map.name};
  layers.insert(layers.end(), device.via.begin(), device.via.end());
  const DmRaid* raid = nullptr;
  int copies = 0;  // legs of the raid that are on this disk
  for (const std::string& layer : layers) {
    if (const auto at = status.raid.find(layer); at != status.raid.end()) raid = &at->second;
    if (layer.find("_rimage_") != layer.npos || layer.find("_mimage_") != layer.npos) ++copies;
  }
  return !raid || copies > 1 || needs_leg(*raid, leg_of(device));
}

std::string last_copy_on(const DmMap& map, const DmStatus& status) {
  std::string disks;
  for (const DmDevice& device : map.below)
    if (!device.disk.empty() && needs_disk(map, device, status))
      disks += (disks.empty() ? "" : ",") + device.disk;
  return disks.empty() ? std::string(kNoLastCopy) : disks;
}

double percent_of(uint64_t part, uint64_t all) {
  return std::floor(static_cast<double>(part) / static_cast<double>(all) * 1000) / 10;
}

const char* pool_state(DmPool::State state) {
  switch (state) {
    case DmPool::State::full:
      return "full";
    case DmPool::State::needs_metadata:
      return "needs-metadata";
    case DmPool::State::needs_check:
      return "needs-check";
    case DmPool::State::forced_read_only:
      return "read-only";
    default:
      return "well";
  }
}

// A pool that takes no more data has not lost any: it is "optimal" as far as its disks are concerned.
void add_pool(const DmMap& map, const DmPool& pool, json& p) {
  p["volume"] = lvm_name(map.name);
  p["observed"] = "observed";
  p.erase("reason");
  p["pool_state"] = pool_state(pool.state);
  if (pool.data_all > 0) p["data_percent"] = percent_of(pool.data_used, pool.data_all);
  if (pool.metadata_all > 0)
    p["metadata_percent"] = percent_of(pool.metadata_used, pool.metadata_all);
}

void add_volume_state(const DmMap& map, const DmStatus* status, json& p) {
  const DmRaid* raid = nullptr;
  if (status)
    if (const auto at = status->raid.find(map.name); at != status->raid.end()) raid = &at->second;
  p["observed"] = raid ? "observed" : "not-observed";
  if (raid)
    add_raid(*raid, p);
  else
    p["reason"] = "a volume without redundancy has no state of its own: its disks are watched";
  if (!status) return;
  p["last_copy_on"] = last_copy_on(map, *status);
  if (const auto pool = status->pools.find(map.name); pool != status->pools.end())
    add_pool(map, pool->second, p);
  if (status->lost_snapshots.contains(map.name)) {
    p["snapshot"] = "lost";
    p["volume"] = lvm_name(map.name);
  }
  const auto failed = status->failed.find(map.name);
  if (failed != status->failed.end()) {
    p["health"] = "failed";
    p["observed"] = "observed";
    p["reason"] = failed->second;
  } else if (!raid) {
    p["health"] = "optimal";
  }
}

void add_volume(const DmMap& map, const DmStatus* status, std::map<std::string, json>& out) {
  json p{{"name", map.name},
         {"path", fmt::format("/dev/mapper/{}{}", map.name, pool_layer(map.uuid))},
         {"device", "/dev/" + map.device},
         {"size_bytes", map.size_bytes}};
  add_volume_state(map, status, p);
  out[dm_fmri(map)] =
      sdk::resource(dm_fmri(map), "lvm-volume", std::move(p), edges_to_disks(map, "redundancy"));
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DmDevice, name, dev, disk, place, diskseq, via, below_md)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DmMap, device, name, uuid, size_bytes, below)

std::string dm_fmri(const DmMap& map) {
  return make_fmri("dm", {{"uuid", map.uuid}});
}

std::vector<DmMap> scan_dm(const sdk::Host& host, const std::vector<DmMap>& known) {
  std::vector<DmMap> maps;
  const auto devices = host.list("/sys/block");
  if (!devices) return maps;
  Below below(host, known);
  for (const std::string& device : *devices) {
    if (!device.starts_with("dm-")) continue;
    const std::string folder = "/sys/block/" + device;
    DmMap map{device,
              host.read(folder + "/dm/name").value_or(""),
              host.read(folder + "/dm/uuid").value_or(""),
              0,
              {}};
    if (!map.multipath() && !is_lvm_volume(host, folder, map.uuid)) continue;
    const std::string_view layer = pool_layer(map.uuid);
    if (map.name.ends_with(layer)) map.name.resize(map.name.size() - layer.size());
    map.size_bytes = number_in(host.read(folder + "/size").value_or("")) * kDmSector;
    if (map.multipath()) {
      if (const auto slaves = host.list(folder + "/slaves"))
        for (const std::string& slave : *slaves) map.below.push_back(below.device(slave));
    } else {
      below.collect(device, map.below);
    }
    maps.push_back(std::move(map));
  }
  return maps;
}

json to_json(const std::vector<DmMap>& maps) {
  return json(maps);
}

std::vector<DmMap> dm_from_json(const json& doc) {
  return doc.get<std::vector<DmMap>>();
}

void note_paths(const std::vector<DmMap>& maps, MostPaths& most) {
  for (const DmMap& map : maps)
    if (map.multipath()) most[map.uuid] = std::max(most[map.uuid], map.below.size());
}

std::map<std::string, json> dm_resources(const std::vector<DmMap>& maps, const DmStatus* status,
                                         const MostPaths& most) {
  std::map<std::string, json> out;
  for (const DmMap& map : maps)
    if (map.multipath())
      add_multipath(map, status, most, out);
    else
      add_volume(map, status, out);
  return out;
}

}  // namespace fmd::volumes
