// Device-mapper maps that were there before this boot. One that goes while the machine runs was taken away by
// somebody; one that a boot did not bring back lacks its disks, or paths to them. Pure.
#pragma once
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/volumes/dm_model.h"

namespace fmd::volumes {

struct KnownMap {
  std::string name;
  std::string boot;  // id of the boot in which it was seen last
  size_t paths = 0;
  std::vector<std::string> disks;  // FMRIs of what it was on
  bool operator==(const KnownMap&) const = default;
};
using KnownMaps = std::map<std::string, KnownMap>;  // by uuid
nlohmann::json to_json(const KnownMaps& known);
KnownMaps known_maps_from_json(const nlohmann::json& doc);

// boot: this one's id; "": unknown, and nothing is noted.
void note_maps(const std::vector<DmMap>& maps, std::string_view boot, KnownMaps& known);

// The multipath maps that are missing since the boot, and LVM's volume groups, complete or not. is_there: whether the disk with
// that FMRI has a device.
std::map<std::string, nlohmann::json> known_resources(
    const std::vector<DmMap>& maps, const KnownMaps& known,
    const std::function<bool(const std::string& disk)>& is_there);

// "vg--a-root" → "vg-a": device-mapper doubles the hyphens of both names.
std::string group_of_volume(std::string_view name);
// udev's links in /dev/disk/by-id that lead to the disk with that FMRI, if it is there; none: not known.
std::vector<std::string> links_of_disk(std::string_view disk);

}  // namespace fmd::volumes
