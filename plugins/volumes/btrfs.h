// Btrfs: what the kernel says of mounted btrfs file systems in /sys/fs/btrfs (kernel 5.14 and later
// count errors there): their devices, which are missing, and each one's counters. Which disk a
// device is, is read from its superblock (fs/btrfs: struct btrfs_super_block), in the child that
// looks: sysfs does not tell it.
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
  std::string name;  // "sdb"; "" missing, or not found
  std::string disk;  // FMRI
  bool missing = false, replace_target = false;
  // Since they were last reset ('btrfs device stats -z'), also over reboots.
  uint64_t write_errors = 0, read_errors = 0, flush_errors = 0, corruption_errors = 0,
           generation_errors = 0;
  bool counted = false;  // the kernel tells of errors
};

struct BtrfsFileSystem {
  std::string fsid, label;
  std::string profile;    // of its data: "raid1"
  std::string operation;  // "none", "balance", "device replace", …
  std::vector<BtrfsDevice> devices;
};

struct BtrfsSuper {
  std::string fsid;
  uint64_t device_id = 0;
};
// bytes: 4 KiB from byte 65536 of a device on. Nothing: no superblock.
std::optional<BtrfsSuper> read_btrfs_super(std::string_view bytes);

// known: of the look before, so that only what has changed is read.
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
