// btrfs file systems of several devices that were mounted in an earlier boot. The kernel lists only mounted ones, and refuses
// to mount one that lacks a device (without -o degraded). Pure.
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
  std::string boot;                          // id of the boot in which it was mounted last
  std::map<std::string, std::string> disks;  // by device id: the disk's FMRI
  Specs specs = {};                          // Needs::of() its devices while it was mounted
  bool operator==(const KnownBtrfs&) const = default;
};
using KnownFileSystems = std::map<std::string, KnownBtrfs>;  // by fsid
nlohmann::json to_json(const KnownFileSystems& known);
KnownFileSystems known_btrfs_from_json(const nlohmann::json& doc);

// boot: this one's id; "": unknown, and nothing is noted.
void note_file_systems(const std::vector<BtrfsFileSystem>& mounted, std::string_view boot,
                       const Needs& needs, KnownFileSystems& known);

// File systems that a boot requires, that have not been mounted since it and that lack a disk. If all disks are present, nothing
// is missing: a person may simply not have mounted it. is_there: whether the disk with that FMRI has a device.
std::map<std::string, nlohmann::json> missing_file_systems(
    const std::vector<BtrfsFileSystem>& mounted, std::string_view boot, const Needs& needs,
    const KnownFileSystems& known, const std::function<bool(const std::string& disk)>& is_there);

}  // namespace fmd::volumes
