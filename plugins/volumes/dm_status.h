// DmStatus: what `dmsetup status` prints of the targets that know of several disks: multipath
// (drivers/md/dm-mpath.c, multipath_status()) and raid, LVM's (Documentation/admin-guide/
// device-mapper/dm-raid.rst); and of those that say that they have failed: thin pools, caches, VDO, and
// "error", which stands where a disk is missing. Pure. What does not read as such is left out.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fmd::volumes {

struct MultipathPath {
  std::string dev;  // "8:16"
  bool active = false;
  uint64_t failures = 0;  // since the map was loaded
  bool operator==(const MultipathPath&) const = default;
};

struct DmRaid {
  std::string level;  // "raid1"
  std::string legs;   // a character each: A in sync, a alive and not in sync, D dead, - missing
  uint64_t done = 0, all = 0;  // sectors
  std::string action;          // "idle", "recover", …
  uint64_t mismatches = 0;
  bool operator==(const DmRaid&) const = default;
};

struct DmStatus {
  std::map<std::string, std::vector<MultipathPath>> multipath;  // by the map's name
  std::map<std::string, DmRaid> raid;
  std::map<std::string, std::string> failed;  // volume → why, in words
};

DmStatus parse_dm_status(std::string_view text);

}  // namespace fmd::volumes
