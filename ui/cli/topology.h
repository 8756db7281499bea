// fmtopo: the inventory as a tree along `contains` (system, chassis, bays, disks), `redundancy`
// (pools, vdevs, disks) and, for SAS, `path` (HBA, expanders, phys).
#pragma once
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/model/inventory.h"
#include "ui/cli/daemon.h"

namespace fmd::cli {

struct TopoOptions {
  std::string part;    // FMRI, bay label, serial number, device; "" all
  std::string scheme;  // "hc", "dev", "zfs", "md", "dm", "btrfs", "fmd", "cpu", "mem"; "" all
  bool properties = false, json = false;
  bool why = false;    // parts on which it depends
  bool graph = false;  // Graphviz
  bool all = false;    // also cores, threads, phys and bridges; implied by a part or a scheme
};
Result<void> topology(Client& client, const TopoOptions& options);

// The parts that fmtopo's PART names; an error if there are none.
Result<std::vector<const Resource*>> parts_meant(const Inventory& inventory,
                                                 const TopoOptions& options);
std::string part_name(const Resource& resource);     // the name people use; "" if only the FMRI
std::string part_summary(const Resource& resource);  // other identifying properties

}  // namespace fmd::cli
