// DmModel: device-mapper's maps of several disks: multipath maps with their paths, LVM's volumes.
// What sysfs says of them (scan_dm, in the child that looks) and what dmsetup(8) says, as resources.
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
  std::string diskseq;    // the kernel's number of this appearance of it; "" it has none
};

struct DmMap {
  std::string device;  // "dm-0"
  std::string name;    // "mpatha"
  std::string uuid;    // "mpath-3600…", "LVM-…"
  uint64_t size_bytes = 0;
  std::vector<DmDevice> below;  // of a multipath map its paths, of a volume the disks that it is on
  bool multipath() const { return uuid.starts_with("mpath-"); }
};

// known: of the look before. Who is below is not read again while the map has it, all of it is known and its diskseq is the same.
std::vector<DmMap> scan_dm(const sdk::Host& host, const std::vector<DmMap>& known);
nlohmann::json to_json(const std::vector<DmMap>& maps);
std::vector<DmMap> dm_from_json(const nlohmann::json& doc);

std::string dm_fmri(const DmMap& map);

// Map's uuid → the most paths that it was seen to have.
using MostPaths = std::map<std::string, size_t>;
void note_paths(const std::vector<DmMap>& maps, MostPaths& most);

// status: nullptr when dmsetup did not tell.
std::map<std::string, nlohmann::json> dm_resources(const std::vector<DmMap>& maps,
                                                   const DmStatus* status, const MostPaths& most);

}  // namespace fmd::volumes
