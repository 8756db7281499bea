// DmModel: device-mapper maps that use several disks: multipath maps with their paths, and LVM
// volumes. Combines sysfs (scan_dm, in the scanning child) and dmsetup(8) into resources.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "plugins/sdk/plugin.h"
#include "plugins/volumes/dm_status.h"

namespace fmd::volumes {

struct DmDevice {         // below a map
  std::string name, dev;  // "sdc", "8:32"
  std::string disk;       // FMRI; "" none
  std::string place;      // udev's by-path name; "" none
  std::string diskseq;    // the kernel's number of this appearance of the device; "": none
  // Names of the maps between a volume and this disk, from the top: "vg0-data_rimage_1".
  std::vector<std::string> via = {};
  bool below_md = false;  // only through an md array, which has its own state
};

struct DmMap {
  std::string device;  // "dm-0"
  std::string name;    // "mpatha"
  std::string uuid;    // "mpath-3600…", "LVM-…"
  uint64_t size_bytes = 0;
  std::vector<DmDevice> below;  // the paths of a multipath map, or the disks of a volume
  bool multipath() const { return uuid.starts_with("mpath-"); }
};

// known: the previous scan. A device below a map is not identified again while it is completely
// known and its diskseq is the same.
std::vector<DmMap> scan_dm(const sdk::Host& host, const std::vector<DmMap>& known);
nlohmann::json to_json(const std::vector<DmMap>& maps);
std::vector<DmMap> dm_from_json(const nlohmann::json& doc);

std::string dm_fmri(const DmMap& map);

// Map's uuid → the most paths that it was seen to have.
using MostPaths = std::map<std::string, size_t>;
void note_paths(const std::vector<DmMap>& maps, MostPaths& most);

// status: nullptr if dmsetup's output is not available.
std::map<std::string, nlohmann::json> dm_resources(const std::vector<DmMap>& maps,
                                                   const DmStatus* status, const MostPaths& most);

}  // namespace fmd::volumes
