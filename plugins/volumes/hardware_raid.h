// HardwareRaid: disks that are volumes of a RAID controller. Their level and state come from sysfs:
// mpt3sas in the class raid_devices (drivers/scsi/raid_class.c), hpsa and smartpqi as raid_level;
// for others they are unknown. Adds properties to fmd-disk's resource.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "plugins/sdk/plugin.h"

namespace fmd::volumes {

struct RaidVolume {
  std::string disk;    // FMRI
  std::string driver;  // "mpt3sas"
  std::string level;   // "RAID 1"; "" if unknown
  std::string state;   // the driver's term; "" if unknown
};

std::vector<RaidVolume> scan_hardware_raid(const sdk::Host& host);
nlohmann::json to_json(const std::vector<RaidVolume>& volumes);
std::vector<RaidVolume> hardware_raid_from_json(const nlohmann::json& doc);
std::map<std::string, nlohmann::json> hardware_raid_resources(
    const std::vector<RaidVolume>& volumes);

}  // namespace fmd::volumes
