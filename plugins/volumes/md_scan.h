// MdScan: reads the md driver's arrays from /sys/block/*/md (Documentation/admin-guide/md.rst).
// Plain values as found there; md_model.h judges them.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugins/sdk/plugin.h"

namespace fmd::volumes {

struct MdMember {
  std::string fmri;    // md://uuid=…/disk=…, plus /part=N for a partition
  std::string device;  // "sdb1"
  std::string disk;    // FMRI of the underlying disk; "" unknown, or not a disk (loop, LUKS)
  std::string serial;
  int slot = -1;
  bool faulty = false, in_sync = false, spare = false, journal = false;
  bool want_replacement = false, replacement = false;
  bool mapped = false;  // on LUKS, LVM or the like
  // Its device has left. The kernel never marks the last good member of a mirror as faulty.
  bool gone = false;
  uint64_t errors = 0;  // read errors that were corrected
  uint64_t bad_blocks = 0;
  bool partition() const { return fmri.find("/part=") != std::string::npos; }
};

struct MdArray {
  std::string fmri;    // md://uuid=…
  std::string device;  // "md0"
  std::string name;    // given by its administrator; "" if none
  std::string level;   // "raid1"
  std::string state;   // array_state: "clean", "active", "inactive", "broken", …
  std::string action;  // sync_action: "idle", "resync", "recover", "check", "repair", "reshape"
  std::string last_action;
  int raid_disks = 0;
  int disks_before = 0;    // raid_disks before the reshape that is not finished; 0: the same
  bool reshaping = false;  // a reshape runs, or has stopped half-way
  std::optional<uint64_t> reshape_at;  // sectors of the array that it has reached
  bool reshapes_backwards = false;     // it runs from the array's end: fewer disks
  // It neither moves nor has moved since the previous scan: mdadm's part of it has ended, or the
  // kernel waits for a device.
  bool stalled = false;
  uint64_t member_sectors = 0;  // data of each member
  int near_copies = 1;          // of raid10; 0 if it has far copies
  bool has_journal = false;     // by its consistency_policy: without one it accepts no writes
  std::optional<int> degraded;
  std::optional<uint64_t> mismatches;  // sectors
  uint64_t sectors_done = 0, sectors_all = 0;
  uint64_t rate_bytes = 0;
  uint64_t size_bytes = 0;
  std::vector<MdMember> members;
};

struct MdScan {
  std::vector<MdArray> arrays;
  size_t nameless = 0;            // running arrays without a known UUID
  std::set<std::string> devices;  // all existing block devices
};

// known: arrays of the previous scan. The kernel still lists a member whose disk is gone, under a
// name without a device.
MdScan scan_md(const sdk::Host& host, const std::vector<MdArray>& known);

nlohmann::json to_json(const MdScan& scan);
MdScan md_from_json(const nlohmann::json& doc);

}  // namespace fmd::volumes
