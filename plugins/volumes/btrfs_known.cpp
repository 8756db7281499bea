#include "plugins/volumes/btrfs_known.h"

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

constexpr size_t kMostFileSystems = 1000;

bool is_mounted(const std::vector<BtrfsFileSystem>& mounted, const std::string& fsid) {
  return std::any_of(mounted.begin(), mounted.end(),
                     [&](const BtrfsFileSystem& fs) { return fs.fsid == fsid; });
}

bool is_required(const std::string& fsid, const KnownBtrfs& fs, const Needs& needs) {
  Specs specs = fs.specs;
  specs.insert({"UUID=" + fsid, "/dev/disk/by-uuid/" + fsid});
  if (fs.name != fsid) specs.insert({"LABEL=" + fs.name, "/dev/disk/by-label/" + fs.name});
  return needs.any_of(specs);
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(KnownBtrfs, name, boot, disks, specs)

json to_json(const KnownFileSystems& known) {
  return json(known);
}

KnownFileSystems known_btrfs_from_json(const json& doc) {
  return doc.get<KnownFileSystems>();
}

void note_file_systems(const std::vector<BtrfsFileSystem>& mounted, std::string_view boot,
                       const Needs& needs, KnownFileSystems& known) {
  if (boot.empty()) return;
  for (const BtrfsFileSystem& fs : mounted) {
    const KnownBtrfs before = known[fs.fsid];
    KnownBtrfs now{fs.label.empty() ? fs.fsid : fs.label, std::string(boot), {}};
    for (const BtrfsDevice& device : fs.devices)
      if (!device.name.empty()) now.specs.merge(needs.of(device.name));
    for (const BtrfsDevice& device : fs.devices) {
      const std::string id = std::to_string(device.id);
      const auto last = before.disks.find(id);
      const std::string disk = !device.disk.empty()         ? device.disk
                               : last == before.disks.end() ? std::string()
                                                            : last->second;
      if (!disk.empty()) now.disks[id] = disk;
    }
    known[fs.fsid] = std::move(now);
  }
  std::erase_if(known, [&](const auto& entry) {
    return known.size() > kMostFileSystems && !is_mounted(mounted, entry.first);
  });
}

std::map<std::string, json> missing_file_systems(
    const std::vector<BtrfsFileSystem>& mounted, std::string_view boot, const Needs& needs,
    const KnownFileSystems& known, const std::function<bool(const std::string& disk)>& is_there) {
  std::map<std::string, json> out;
  for (const auto& [fsid, fs] : known) {
    std::set<std::string> disks, away;
    for (const auto& [id, disk] : fs.disks) disks.insert(disk);
    if (boot.empty() || fs.boot == boot || disks.size() < 2 || is_mounted(mounted, fsid) ||
        !is_required(fsid, fs, needs))
      continue;
    std::copy_if(disks.begin(), disks.end(), std::inserter(away, away.end()),
                 [&](const std::string& disk) { return !is_there(disk); });
    if (away.empty()) continue;
    const std::string fmri = make_fmri("btrfs", {{"fsid", fsid}});
    json edges = json::array();
    for (const std::string& disk : disks) edges.push_back(sdk::edge("redundancy", disk));
    out[fmri] =
        sdk::resource(fmri, "btrfs",
                      {{"name", fs.name},
                       {"devices", fs.disks.size()},
                       {"missing", away.size()},
                       {"operation", "none"},
                       {"health", "missing"},
                       {"disks_missing", display(fmt::format("{}", fmt::join(away, ", ")), 300)}},
                      std::move(edges));
  }
  return out;
}

}  // namespace fmd::volumes
