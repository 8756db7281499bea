// Btrfs: reads mounted btrfs file systems from /sys/fs/btrfs: their devices, which of these are
// missing, and their error counters (kernel 5.14 and later). The disk of a device is found by its
// superblock (fs/btrfs: struct btrfs_super_block), which the scanning child process reads, because
// sysfs does not contain it.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/sdk/plugin.h"

namespace fmd::volumes {

struct BtrfsDevice {
  uint64_t id = 0;
  std::string name;  // "sdb"; "" if missing or unknown
  std::string disk;  // FMRI
  bool missing = false, replace_target = false;
  // Since the last reset ('btrfs device stats -z'), across reboots.
  uint64_t write_errors = 0, read_errors = 0, flush_errors = 0, corruption_errors = 0,
           generation_errors = 0;
  bool counted = false;  // the kernel reports error counters
};

struct BtrfsFileSystem {
  std::string fsid, label;
  std::string profile;    // of its data: "raid1"
  std::string operation;  // "none", "balance", "device replace", …
  std::vector<BtrfsDevice> devices;
  std::string metadata = {};  // the profile of its metadata
};

struct BtrfsSuper {
  std::string fsid;
  uint64_t device_id = 0;
};
// bytes: 4 KiB of a device, from offset 65536. Empty if there is no superblock.
std::optional<BtrfsSuper> read_btrfs_super(std::string_view bytes);

// known: the result of the previous scan; only changed parts are read again.
std::vector<BtrfsFileSystem> scan_btrfs(const sdk::Host& host,
                                        const std::vector<BtrfsFileSystem>& known);
nlohmann::json to_json(const std::vector<BtrfsFileSystem>& all);
std::vector<BtrfsFileSystem> btrfs_from_json(const nlohmann::json& doc);

// Device's FMRI → FMRI of the disk it was last seen on.
using LastDisks = std::map<std::string, std::string>;
void note_disks(const std::vector<BtrfsFileSystem>& all, LastDisks& last);

std::map<std::string, nlohmann::json> btrfs_resources(const std::vector<BtrfsFileSystem>& all,
                                                      const LastDisks& last);

}  // namespace fmd::volumes
