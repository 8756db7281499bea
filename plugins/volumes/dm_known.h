// Device-mapper maps seen earlier. An LVM volume that disappears while the machine runs was
// deactivated by a person: the kernel removes none. multipathd also removes a multipath map, after
// the device of its last path. A map absent after a boot lacks disks or paths to them. Pure.
#pragma once
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/volumes/dm_model.h"
#include "plugins/volumes/needs.h"

namespace fmd::volumes {

struct KnownMap {
  std::string name;
  std::string boot;  // id of the boot in which it was last seen
  size_t paths = 0;
  std::vector<std::string> disks;                   // FMRIs of the disks it was on
  std::map<std::string, std::string> devices = {};  // of its last paths: name → diskseq
  bool missing = false;    // disappeared in this boot, with the devices of all its paths
  Specs specs = {};        // Needs::of() while the map was present
  bool removable = false;  // all devices below it were on media that people unplug
  bool operator==(const KnownMap&) const = default;
};
using KnownMaps = std::map<std::string, KnownMap>;  // by uuid
nlohmann::json to_json(const KnownMaps& known);
KnownMaps known_maps_from_json(const nlohmann::json& doc);

// Multipath maps flushed by a person ('multipath -f'), detected by the order of udev events:
// multipathd removes a map only after all its paths. This also works if the person deletes the
// devices before the next scan.
class FlushedMaps {
 public:
  // An event of a block device. map: device-mapper's name of it, or "". maps: of the last scan.
  void heard(const std::string& action, const std::string& device, const std::string& map,
             const std::vector<DmMap>& maps);
  // Whether that map was flushed. Also forgets it, to bound the memory used.
  bool take(const std::string& map) { return flushed_.erase(map) > 0; }

 private:
  std::set<std::string> removed_;  // devices of paths
  std::set<std::string> flushed_;  // names of maps
};

// boot: id of the present boot; if "" (unknown), nothing is noted. was_flushed: called once for
// each multipath map that has disappeared in this boot.
void note_maps(const std::vector<DmMap>& maps, std::string_view boot,
               const std::function<bool(const KnownMap&)>& was_flushed, KnownMaps& known);

// Notes the required specs of each map, and whether it is on removable media. After note_maps().
void note_needs(const std::vector<DmMap>& maps, const Needs& needs, KnownMaps& known);

// Missing multipath maps, and LVM's volume groups, complete or not; only those required at boot or
// not on removable media. is_there: whether the disk with that FMRI has a device.
std::map<std::string, nlohmann::json> known_resources(
    const std::vector<DmMap>& maps, const KnownMaps& known, const Needs& needs,
    const std::function<bool(const std::string& disk)>& is_there);

// "vg--a-root" → "vg-a": device-mapper doubles the hyphens of both names.
std::string group_of_volume(std::string_view name);
// udev's links in /dev/disk/by-id for the disk with that FMRI; empty if unknown.
std::vector<std::string> links_of_disk(std::string_view disk);

}  // namespace fmd::volumes
