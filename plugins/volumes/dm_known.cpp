#include "plugins/volumes/dm_known.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "fmd/base/json.h"
#include "fmd/base/text.h"
#include "fmd/model/fmri.h"
#include "plugins/sdk/messages.h"

namespace fmd::volumes {
namespace {

using nlohmann::json;

constexpr std::string_view kLvm = "LVM-", kMpath = "mpath-";
constexpr size_t kGroupId = 32;  // characters of a volume group's id, in front of the volume's
constexpr size_t kMostMaps = 4096, kMostRemoved = 4096;

bool is_up(const std::vector<DmMap>& maps, const std::string& uuid) {
  return std::any_of(maps.begin(), maps.end(), [&](const DmMap& map) { return map.uuid == uuid; });
}

json described(const std::string& uuid, const char* type, json properties,
               const std::vector<std::string>& disks, const char* relation) {
  json edges = json::array();
  for (const std::string& disk : disks) edges.push_back(sdk::edge(relation, disk));
  return sdk::resource(make_fmri("dm", {{"uuid", uuid}}), type, std::move(properties),
                       std::move(edges));
}

struct Group {
  std::string name;
  size_t volumes = 0;
  std::set<std::string> missing, disks_missing;
  // At boot LVM activates either no volume of an incomplete group, or those whose disks are
  // present. Single volumes may also be activated later, by their users.
  bool incomplete() const {
    return !missing.empty() && (missing.size() == volumes || !disks_missing.empty());
  }
};

std::string in_words(const std::set<std::string>& names) {
  return names.empty() ? "none" : display(fmt::format("{}", fmt::join(names, ", ")), 300);
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KnownMap, name, boot, paths, disks, devices,
                                                missing, specs, removable)

json to_json(const KnownMaps& known) {
  return json(known);
}

KnownMaps known_maps_from_json(const json& doc) {
  return doc.get<KnownMaps>();
}

void FlushedMaps::heard(const std::string& action, const std::string& device,
                        const std::string& map, const std::vector<DmMap>& maps) {
  if (action != "remove") {
    removed_.erase(device);
    if (!map.empty()) flushed_.erase(map);
    return;
  }
  for (const DmMap& one : maps) {
    if (!one.multipath()) continue;
    const auto is_removed = [&](const DmDevice& path) { return removed_.contains(path.name); };
    if (one.device == device && !std::all_of(one.below.begin(), one.below.end(), is_removed))
      flushed_.insert(one.name);
    const auto is_it = [&](const DmDevice& path) { return path.name == device; };
    if (std::any_of(one.below.begin(), one.below.end(), is_it) && removed_.size() < kMostRemoved)
      removed_.insert(device);
  }
}

void note_maps(const std::vector<DmMap>& maps, std::string_view boot,
               const std::function<bool(const KnownMap&)>& was_flushed, KnownMaps& known) {
  if (boot.empty()) return;
  for (auto at = known.begin(); at != known.end();) {
    auto& [uuid, map] = *at;
    const bool fresh = map.boot == boot && !map.missing && !is_up(maps, uuid);
    map.missing = map.missing || (fresh && uuid.starts_with(kMpath) && !was_flushed(map));
    at = fresh && !map.missing ? known.erase(at) : std::next(at);
  }
  for (const DmMap& map : maps) {
    KnownMap& one = known[map.uuid];
    KnownMap now{map.name, std::string(boot), std::max(one.paths, map.below.size()), {}};
    std::set<std::string> disks;
    for (const DmDevice& below : map.below) {
      if (!below.disk.empty()) disks.insert(below.disk);
      if (map.multipath()) now.devices[below.name] = below.diskseq;
    }
    now.disks = map.below.empty() ? one.disks : std::vector(disks.begin(), disks.end());
    one = std::move(now);
  }
  std::erase_if(known, [&](const auto& entry) {
    return known.size() > kMostMaps && !is_up(maps, entry.first);
  });
}

void note_needs(const std::vector<DmMap>& maps, const Needs& needs, KnownMaps& known) {
  for (const DmMap& map : maps) {
    const auto at = known.find(map.uuid);
    if (at == known.end() || map.below.empty()) continue;
    at->second.specs = needs.of(map.device);
    at->second.removable =
        std::all_of(map.below.begin(), map.below.end(),
                    [&](const DmDevice& below) { return needs.removable.contains(below.name); });
  }
}

std::map<std::string, json> known_resources(
    const std::vector<DmMap>& maps, const KnownMaps& known, const Needs& needs,
    const std::function<bool(const std::string& disk)>& is_there) {
  std::map<std::string, json> out;
  const auto add = [&](json resource) {
    out.emplace(resource["fmri"].get<std::string>(), std::move(resource));
  };
  std::map<std::string, Group> groups;
  for (const auto& [uuid, map] : known) {
    const bool up = is_up(maps, uuid);
    if (!up && !needs.misses(map.specs, map.removable)) continue;
    if (uuid.starts_with(kMpath) && !up)
      add(described(uuid, "multipath",
                    {{"name", map.name},
                     {"path", "/dev/mapper/" + map.name},
                     {"paths", 0},
                     {"paths_before", map.paths},
                     {"health", "missing"}},
                    map.disks, "path"));
    if (!uuid.starts_with(kLvm) || uuid.size() < kLvm.size() + kGroupId) continue;
    Group& group = groups[uuid.substr(0, kLvm.size() + kGroupId)];
    group.name = group_of_volume(map.name);
    ++group.volumes;
    if (up) continue;
    group.missing.insert(map.name);
    for (const std::string& disk : map.disks)
      if (!is_there(disk)) group.disks_missing.insert(disk);
  }
  for (const auto& [uuid, group] : groups)
    add(described(uuid, "lvm-group",
                  {{"name", group.name},
                   {"health", group.incomplete() ? "incomplete" : "complete"},
                   {"volumes_missing", in_words(group.missing)},
                   {"disks_missing", in_words(group.disks_missing)}},
                  {}, "redundancy"));
  return out;
}

std::string group_of_volume(std::string_view name) {
  std::string group;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '-') {
      group += name[i];
      continue;
    }
    if (i + 1 >= name.size() || name[i + 1] != '-') break;
    group += '-';
    ++i;
  }
  return group;
}

std::vector<std::string> links_of_disk(std::string_view disk) {
  const auto parsed = Fmri::parse(disk);
  const std::string wwn = parsed ? parsed->get("wwn") : "";
  if (wwn.empty()) return {};
  return {"wwn-0x" + wwn, "nvme-eui." + wwn};
}

}  // namespace fmd::volumes
