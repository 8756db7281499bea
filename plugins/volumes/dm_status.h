// DmStatus: what `dmsetup status` prints of the targets that know of several disks: multipath
// (drivers/md/dm-mpath.c, multipath_status()) and raid, LVM's (Documentation/admin-guide/
// device-mapper/dm-raid.rst), of pools that promise more space than they have (thin, VDO), and of targets
// that report a failure: caches, snapshots, and "error", which takes the place of a missing disk. Pure.
// Unreadable lines are left out.
#pragma once
#include <cstdint>
#include <map>
#include <set>
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

// Space is counted in blocks of the target's own size; all == 0: it has no such space.
struct DmPool {
  enum class State : uint8_t {
    well,
    full,             // there is no space for more data: writes wait or fail
    needs_metadata,   // read-only: its metadata space is full
    needs_check,      // read-only, or will be: its metadata is damaged, or could not be written
    forced_read_only  // VDO after an error
  };
  State state = State::well;
  uint64_t data_used = 0, data_all = 0, metadata_used = 0, metadata_all = 0;
  bool operator==(const DmPool&) const = default;
};

struct DmStatus {
  std::map<std::string, std::vector<MultipathPath>> multipath;  // by the map's name
  std::map<std::string, DmRaid> raid;
  std::map<std::string, DmPool> pools;        // by the name of the volume, without LVM's layer
  std::map<std::string, std::string> failed;  // volume → why, in words
  std::set<std::string> lost_snapshots;       // by the volume's name
};

DmStatus parse_dm_status(std::string_view text);

// LVM's suffixes of the name and UUID of the map that holds a pool; the pool's volume is its name without it.
inline constexpr std::string_view kThinPoolLayer = "-tpool", kVdoPoolLayer = "-vpool";

}  // namespace fmd::volumes
