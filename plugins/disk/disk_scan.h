// Reads the machine's disks from sysfs. One resource per disk: several paths to it (multipath) are
// one disk. Reads /sys/block, /dev/disk/by-id and by-path through Host, only attributes that the
// kernel keeps in memory. Runs in a child, because a device under removal can still block a reader.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "plugins/disk/ways.h"
#include "plugins/hardware/disk_identity.h"
#include "plugins/sdk/host.h"
#include "plugins/sdk/plugin.h"

namespace fmd::disk {

struct Disk {
  hardware::DiskIdentity identity;  // identity.name: the first of its device names
  uint64_t size_bytes = 0;
  bool rotational = false;
  uint64_t sector_bytes = 0, physical_sector_bytes = 0;  // 0: unknown
  // "sas", "sata", "nvme", "nvme-tcp", "usb", "fc", "iscsi", "virtio", "mmc", "scsi"
  std::string transport;
  std::string by_id, by_path;  // "/dev/disk/by-id/wwn-0x…"; "" if udev has made none yet
  std::string diskseq;         // the kernel's number of this appearance; "" before Linux 5.15
  bool in_use = false;         // has partitions, or something is built on it
  // Its device names if it has several: "sde", "sdk"; "nvme0c0n1", "nvme0c1n1".
  std::vector<std::string> paths;
};

// Keyed by device name; a disk with several paths has several entries.
struct DeviceScan {
  std::map<std::string, Disk> devices;
  size_t nameless = 0;  // disks without WWN and serial number, which cannot be told apart: left out
  Ways ways;            // to these disks
  std::string links;    // last change of udev's links to disks; "" unknown, so they are read again
};
// before: the previous scan. If the diskseq is the same, fixed properties are taken from it, as are
// udev's links if none has changed, so that a scan of a thousand disks is fast. Fails if there is
// no /sys/block.
Result<DeviceScan> scan_devices(const sdk::Host& host, const DeviceScan& before);

// Disks by FMRI, with the paths of each merged.
std::map<std::string, Disk> disks_of(const DeviceScan& scan);

std::string to_bytes(const Result<DeviceScan>& scan);
Result<DeviceScan> from_bytes(const std::string& bytes);

}  // namespace fmd::disk
