// Ways: the paths by which the machine reaches its disks, and the file systems on them. A way is
// known by its place (udev's by-path name: controller, port, target), so it stays the same when the
// disk behind it is swapped; two ways to one disk are told apart. Source: /sys/block, /sys/fs, in
// the child that scans.
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
  std::string name;  // "sdc", "nvme0c0n1", now
  std::string id;    // "pci-0000:03:00.0-sas-phy4-lun-0"
  std::string disk;  // FMRI
  std::string dev;   // "8:32"
  std::string hctl;  // "0:0:4:0"; "" not SCSI
  std::string nvme;  // controller; "" not NVMe
  std::string hba;   // FMRI of the SCSI host's PCI device; "" unknown
  int ata_port = 0;
  int ata_unit =
      0;  // which device of the port, as libata counts them: behind a port multiplier its port
  std::string
      state;  // of the SCSI device ("running", "offline") or NVMe controller ("live", "dead")
  // Since the device came: failed commands, and those without an answer. SCSI only.
  std::optional<uint64_t> io_errors, io_timeouts;
};
std::string way_fmri(const Way& way);

// A mounted file system whose kernel driver tells of its errors (ext4), or writes them (xfs).
struct FileSystem {
  std::string name;  // "dm-0", the block device, now
  std::string uuid;  // "" udev knows none
  std::string type;  // "ext4"
  std::string mount_point;
  std::optional<uint64_t> errors;  // since it was last checked
  std::vector<std::string> disks;  // FMRIs of what it stands on
  bool forced_read_only = false;   // by the kernel: mounted for writing, and no longer writable
};
std::string file_system_fmri(const FileSystem& fs);

struct Ways {
  std::map<std::string, Way> ways;  // by device name
  std::vector<FileSystem> file_systems;
};
// devices: by device name, as scanned. same: those that are what they were when `before` was found, of which only what they count is
// read.
Ways scan_ways(const sdk::Host& host, const std::map<std::string, Disk>& devices,
               const Ways& before, const std::set<std::string>& same);

nlohmann::json to_json(const Ways& ways);
Ways ways_from(const nlohmann::json& doc);  // throws what nlohmann throws: our own bytes

}  // namespace fmd::disk
