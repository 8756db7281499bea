// Multi-device btrfs file systems that were mounted in an earlier boot. The kernel lists only
// mounted ones, and refuses to mount one that lacks a device (without -o degraded). Pure.
#pragma once
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/volumes/btrfs.h"
#include "plugins/volumes/needs.h"

namespace fmd::volumes {

struct KnownBtrfs {
  std::string name;
  std::string boot;                          // id of the boot in which it was last mounted
  std::map<std::string, std::string> disks;  // by device id: the disk's FMRI
  Specs specs = {};                          // Needs::of() its devices while it was mounted
  bool operator==(const KnownBtrfs&) const = default;
};
using KnownFileSystems = std::map<std::string, KnownBtrfs>;  // by fsid
nlohmann::json to_json(const KnownFileSystems& known);
KnownFileSystems known_btrfs_from_json(const nlohmann::json& doc);

// boot: id of the present boot; if "" (unknown), nothing is noted.
void note_file_systems(const std::vector<BtrfsFileSystem>& mounted, std::string_view boot,
                       const Needs& needs, KnownFileSystems& known);

// File systems that are required at boot, have not been mounted since then, and lack a disk. One
// whose disks are all present is not reported: a person may have chosen not to mount it. is_there:
// whether the disk with that FMRI has a device.
std::map<std::string, nlohmann::json> missing_file_systems(
    const std::vector<BtrfsFileSystem>& mounted, std::string_view boot, const Needs& needs,
    const KnownFileSystems& known, const std::function<bool(const std::string& disk)>& is_there);

}  // namespace fmd::volumes
