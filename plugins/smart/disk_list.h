// Lists the disks to query, one entry per disk: multiple paths and multiple NVMe namespaces are
// queried once. Source: sysfs and udev's database, through Host; never touches a disk.
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
  std::string fmri;                  // the FMRI that fmd-disk uses
  std::vector<std::string> devices;  // "/dev/sda"; several: paths to the same disk
  std::vector<std::string> names;    // in /sys/block, one per device
  std::string type;                  // smartctl's -d; "": smartctl detects it
  bool nvme = false;
  std::vector<std::string> groups;  // the groups it is a member of: "zfs_member:GUID"
  bool operator==(const Target&) const = default;
};

// A disk of the previous list, by device name. Its identity is valid while the kernel's diskseq is
// the same; a udev event, or an answer from another disk, erases it.
struct KnownDisk {
  std::string diskseq;  // "" before Linux 5.15
  hardware::DiskIdentity identity;
};
using KnownDisks = std::map<std::string, KnownDisk>;

// By FMRI. Fails without /sys/block.
Result<std::map<std::string, Target>> list_disks(const sdk::Host& host, const Options& options,
                                                 KnownDisks& known);

// False if the device name now belongs to another disk: the kernel reuses names.
bool still_there(const sdk::Host& host, const Target& target, size_t path);

}  // namespace fmd::smart
