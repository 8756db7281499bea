// Device-mapper maps that were there before. A volume of LVM's that goes while the machine runs was
// deactivated by a person: the kernel removes none. A multipath map may also be removed by multipathd,
// when the device of its last path has gone. What a boot did not bring back lacks its disks, or paths
// to them. Pure.
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
  std::string boot;  // id of the boot in which it was seen last
  size_t paths = 0;
  std::vector<std::string> disks;                   // FMRIs of what it was on
  std::map<std::string, std::string> devices = {};  // of its last paths: name and diskseq
  bool missing = false;    // it went in this boot, with the devices of all its paths
  Specs specs = {};        // Needs::of() while the map was present
  bool removable = false;  // all devices below it were on media that people unplug
  bool operator==(const KnownMap&) const = default;
};
using KnownMaps = std::map<std::string, KnownMap>;  // by uuid
nlohmann::json to_json(const KnownMaps& known);
KnownMaps known_maps_from_json(const nlohmann::json& doc);

// Maps that a person flushed ('multipath -f'), known by the order of udev's messages: multipathd removes a map
// only after all its paths. This also holds if the person deletes the devices before the next look.
class FlushedMaps {
 public:
  // A message about a block device; map: device-mapper's name of it, if it has one. maps: of the last look.
  void heard(const std::string& action, const std::string& device, const std::string& map,
             const std::vector<DmMap>& maps);
  // Whether that map was flushed. Forgets it, so that flushed maps do not add up.
  bool take(const std::string& map) { return flushed_.erase(map) > 0; }

 private:
  std::set<std::string> removed_;  // devices of paths
  std::set<std::string> flushed_;  // names of maps
};

// boot: this one's id; "": unknown, and nothing is noted. was_flushed: asked once about each multipath map that
// has gone in this boot.
void note_maps(const std::vector<DmMap>& maps, std::string_view boot,
               const std::function<bool(const KnownMap&)>& was_flushed, KnownMaps& known);

// Notes which required specs lead to each map, and whether it is on removable media. After note_maps().
void note_needs(const std::vector<DmMap>& maps, const Needs& needs, KnownMaps& known);

// The multipath maps that are missing, and LVM's volume groups, complete or not; only those that the machine
// misses. is_there: whether the disk with that FMRI has a device.
std::map<std::string, nlohmann::json> known_resources(
    const std::vector<DmMap>& maps, const KnownMaps& known, const Needs& needs,
    const std::function<bool(const std::string& disk)>& is_there);

// "vg--a-root" → "vg-a": device-mapper doubles the hyphens of both names.
std::string group_of_volume(std::string_view name);
// udev's links in /dev/disk/by-id that lead to the disk with that FMRI, if it is there; none: not known.
std::vector<std::string> links_of_disk(std::string_view disk);

}  // namespace fmd::volumes
