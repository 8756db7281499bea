// Ways: the paths to the disks, and the file systems on them. A path is identified by its place
// (udev's by-path name: controller, port, target), so its identity survives replacing the disk, and
// two paths to one disk are distinct. Source: /sys/block, /sys/fs, read in the child that scans.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plugins/disk/kernel_error.h"
#include "plugins/sdk/host.h"

namespace fmd::disk {

struct Disk;

struct Way {
  std::string name;  // current device name: "sdc", "nvme0c0n1"
  std::string id;    // "pci-0000:03:00.0-sas-phy4-lun-0"
  std::string disk;  // FMRI
  std::string dev;   // "8:32"
  std::string hctl;  // "0:0:4:0"; "" not SCSI
  std::string nvme;  // controller; "" not NVMe
  std::string hba;   // FMRI of the SCSI host's PCI device; "" unknown
  int ata_port = 0;
  int ata_unit = 0;   // libata's device number; behind a port multiplier, its port
  std::string state;  // SCSI device: "running", "offline"; NVMe controller: "live", "dead"
  // Failed commands and timeouts since the device appeared. SCSI only.
  std::optional<uint64_t> io_errors, io_timeouts;
  std::string ana;  // of a path of native NVMe multipath: "optimized", "inaccessible", …; "" none
};
// Of a path of native NVMe multipath: "usable", "lost" (its controller does not respond, or its
// group is lost for good), "standby" (another controller serves it), "changing"; "" for others.
std::string nvme_state(const Way& way);
std::string way_fmri(const Way& way);

// A mounted file system whose driver counts its errors (ext4) or logs them (xfs).
struct FileSystem {
  std::string name;  // current block device: "dm-0"
  std::string uuid;  // "" unknown to udev
  std::string type;  // "ext4"
  std::string mount_point;
  std::optional<uint64_t> errors;  // since the last check
  std::vector<std::string> disks;  // FMRIs of the disks below it
  bool forced_read_only = false;   // by the kernel: mounted for writing, but no longer writable
  std::vector<std::string> direct_disks = {};  // those without an md array or LVM volume between
};
std::string file_system_fmri(const FileSystem& fs);

struct Ways {
  std::map<std::string, Way> ways;  // by device name
  std::vector<FileSystem> file_systems;
};
// devices: by device name, as scanned. same: devices unchanged since `before`; only their states
// and counters are read.
Ways scan_ways(const sdk::Host& host, const std::map<std::string, Disk>& devices,
               const Ways& before, const std::set<std::string>& same);

nlohmann::json to_json(const Ways& ways);
Ways ways_from(const nlohmann::json& doc);  // throws what nlohmann throws; the bytes are our own

}  // namespace fmd::disk
