// MdScan: what the kernel's md driver says of its arrays, below /sys/block/*/md
// (Documentation/admin-guide/md.rst). Plain values, as they stand there; md_model.h judges them.
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
  std::string fmri;    // md://uuid=…/disk=…, with /part=N of a partition
  std::string device;  // "sdb1"
  std::string disk;    // FMRI of the disk below; "" unknown, or no disk (loop, LUKS)
  std::string serial;
  int slot = -1;
  bool faulty = false, in_sync = false, spare = false, journal = false;
  bool want_replacement = false, replacement = false;
  uint64_t errors = 0;  // reads that failed and were put right
  uint64_t bad_blocks = 0;
  bool partition() const { return fmri.find("/part=") != std::string::npos; }
};

struct MdArray {
  std::string fmri;    // md://uuid=…
  std::string device;  // "md0"
  std::string name;    // as its administrator called it; "" not said
  std::string level;   // "raid1"
  std::string state;   // array_state: "clean", "active", "inactive", "broken", …
  std::string action;  // sync_action: "idle", "resync", "recover", "check", "repair", "reshape"
  std::string last_action;
  int raid_disks = 0;
  int near_copies = 1;       // of raid10; 0 when it has far ones
  bool has_journal = false;  // its consistency_policy: it writes to no disk without one
  std::optional<int> degraded;
  std::optional<uint64_t> mismatches;  // sectors
  uint64_t sectors_done = 0, sectors_all = 0;
  uint64_t rate_bytes = 0;
  uint64_t size_bytes = 0;
  std::vector<MdMember> members;
};

struct MdScan {
  std::vector<MdArray> arrays;
  size_t nameless = 0;            // running arrays whose UUID nobody tells
  std::set<std::string> devices;  // block devices that there are
};

// known: members of the look before. One whose disk has gone is still listed by the kernel, under
// a name that leads nowhere.
MdScan scan_md(const sdk::Host& host, const std::vector<MdArray>& known);

nlohmann::json to_json(const MdScan& scan);
MdScan md_from_json(const nlohmann::json& doc);

}  // namespace fmd::volumes
