// What fmtopo shows: the inventory as a tree along `contains` (system, chassis, bays, disks),
// `redundancy` (pools, vdevs, disks) and, for SAS, `path` (HBA, expanders, phys).
#pragma once
#include <string>

#include "fmd/base/result.h"
#include "ui/cli/daemon.h"

namespace fmd::cli {

struct TopoOptions {
  std::string part;    // FMRI, bay label, serial, device; "" all
  std::string scheme;  // "hc", "dev", "zfs", "md", "dm", "btrfs", "fmd", "cpu", "mem"; "" all
  bool properties = false, json = false;
  bool all = false;  // cores, threads, phys and bridges too; a part or a scheme shows them anyway
};
Result<void> topology(Client& client, const TopoOptions& options);

}  // namespace fmd::cli
