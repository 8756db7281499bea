// What fmtopo shows: the inventory as a tree along `contains` (system, chassis, bays, disks),
// `redundancy` (pools, vdevs, disks) and, for SAS, `path` (HBA, expanders, phys).
#pragma once
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/model/inventory.h"
#include "ui/cli/daemon.h"

namespace fmd::cli {

struct TopoOptions {
  std::string part;    // FMRI, bay label, serial, device; "" all
  std::string scheme;  // "hc", "dev", "zfs", "md", "dm", "btrfs", "fmd", "cpu", "mem"; "" all
  bool properties = false, json = false;
  bool why = false;    // what the part hangs on
  bool graph = false;  // Graphviz
  bool all = false;    // cores, threads, phys and bridges too; a part or a scheme shows them anyway
};
Result<void> topology(Client& client, const TopoOptions& options);

// What fmtopo's options mean by PART; an error when nothing is called so.
Result<std::vector<const Resource*>> parts_meant(const Inventory& inventory,
                                                 const TopoOptions& options);
std::string part_name(const Resource& resource);     // what people call it, "" nothing but its FMRI
std::string part_summary(const Resource& resource);  // what else they look for

}  // namespace fmd::cli
