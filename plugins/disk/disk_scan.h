// The machine's disks as sysfs shows them now. One resource a disk: several paths to it (multipath)
// are one. Source: /sys/block, /dev/disk/by-id and by-path, through Host; attributes that the
// kernel keeps in memory. Runs in a child: a device under removal can hold a reader up all the
// same.
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
  std::string by_id, by_path;  // "/dev/disk/by-id/wwn-0x…"; "" while udev has made none
  std::string diskseq;         // the kernel's number of this appearance; "" before Linux 5.15
  bool in_use = false;         // has partitions, or something is built on it
  // All its device names, when it has several: "sde", "sdk"; "nvme0c0n1", "nvme0c1n1".
  std::vector<std::string> paths;
};

// By device name; what is one disk may stand there several times.
struct DeviceScan {
  std::map<std::string, Disk> devices;
  size_t nameless = 0;  // disks that cannot be told apart (no WWN, no serial): left out
  Ways ways;            // to these disks
  std::string links;    // when udev last changed its names of disks; "" they have to be read again
};
// before: the scan before. What cannot have changed is taken from there when the diskseq is the
// same, and udev's links when no link has come or gone: a machine with a thousand disks is not read
// anew each time. An error when there is no /sys/block.
Result<DeviceScan> scan_devices(const sdk::Host& host, const DeviceScan& before);

// By FMRI, the paths of each brought together.
std::map<std::string, Disk> disks_of(const DeviceScan& scan);

std::string to_bytes(const Result<DeviceScan>& scan);
Result<DeviceScan> from_bytes(const std::string& bytes);

}  // namespace fmd::disk
