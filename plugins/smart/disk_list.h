// Which disks are to be asked, and how. One entry a disk: several paths to it, and several
// namespaces of one NVMe drive, are asked once. Source: sysfs and udev's database, through Host;
// never touches a disk.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "plugins/hardware/disk_identity.h"
#include "plugins/sdk/host.h"
#include "plugins/sdk/plugin.h"
#include "plugins/smart/options.h"

namespace fmd::smart {

struct Target {
  std::string fmri;                  // as plugins/disk calls it
  std::vector<std::string> devices;  // "/dev/sda"; several: paths to the same disk
  std::vector<std::string> names;    // in /sys/block, one for each of the devices
  std::string type;                  // of -d; "" smartctl finds it out
  bool nvme = false;
  std::vector<std::string> groups;  // what it is a member of: "zfs_member:GUID"
  bool operator==(const Target&) const = default;
};

// Of the list before, by device name: who a disk is holds while the kernel's number of its appearance is the same. What speaks
// against it (udev, an answer of another) erases it.
struct KnownDisk {
  std::string diskseq;  // "" before Linux 5.15
  hardware::DiskIdentity identity;
};
using KnownDisks = std::map<std::string, KnownDisk>;

// By FMRI. An error when there is no /sys/block.
Result<std::map<std::string, Target>> list_disks(const sdk::Host& host, const Options& options,
                                                 KnownDisks& known);

// Is the device of that name the disk we take it for? Names are given anew when disks come and go.
bool still_there(const sdk::Host& host, const Target& target, size_t path);

}  // namespace fmd::smart
