// DmStatus: parses `dmsetup status` for targets that use several disks: multipath
// (drivers/md/dm-mpath.c, multipath_status()) and LVM's raid (Documentation/admin-guide/
// device-mapper/dm-raid.rst); and for targets that report failure: thin pools, caches, VDO, and
// "error", which replaces a missing disk. Ignores other lines. Pure.
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
  std::string legs;   // a character per leg: A in sync, a alive, not in sync, D dead, - missing
  uint64_t done = 0, all = 0;  // sectors
  std::string action;          // "idle", "recover", …
  uint64_t mismatches = 0;
  bool operator==(const DmRaid&) const = default;
};

struct DmStatus {
  std::map<std::string, std::vector<MultipathPath>> multipath;  // by the map's name
  std::map<std::string, DmRaid> raid;
  std::map<std::string, std::string> failed;  // volume → reason for people
};

DmStatus parse_dm_status(std::string_view text);

}  // namespace fmd::volumes
