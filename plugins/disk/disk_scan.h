// The machine's disks as sysfs shows them now. One resource a disk: several paths to it (multipath)
// are one. Source: /sys/block, /dev/disk/by-id and by-path, through Host; attributes that the
// kernel keeps in memory.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "fmd/core/result.h"
#include "plugins/sdk/host.h"
#include "plugins/sdk/plugin.h"

namespace fmd::disk {

struct Disk {
  sdk::DiskIdentity identity;  // identity.name: the first of its device names
  uint64_t size_bytes = 0;
  bool rotational = false;
  std::string transport;  // "sas", "sata", "nvme", "usb", "fc", "iscsi", "virtio", "mmc", "scsi"
  std::string by_id, by_path;  // "/dev/disk/by-id/wwn-0x…"; "" while udev has made none
  std::string diskseq;         // the kernel's number of this appearance; "" before Linux 5.15
  bool in_use = false;         // has partitions, or something is built on it
};

// By FMRI. Disks that cannot be told apart (no WWN, no serial) are left out and counted.
struct DiskScan {
  std::map<std::string, Disk> disks;
  size_t nameless = 0;
};
// An error when there is no /sys/block.
Result<DiskScan> scan_disks(const sdk::Host& host);

}  // namespace fmd::disk
