// What fmtopo shows: the inventory as a tree along `contains` (chassis, bays, disks) and
// `redundancy` (pools, vdevs, disks).
#pragma once
#include <string>

#include "fmd/core/result.h"
#include "ui/cli/client.h"

namespace fmd::cli {

struct TopoOptions {
  std::string part;    // FMRI, bay label, serial, device; "" all
  std::string scheme;  // "hc", "dev", "zfs", "fmd"; "" all
  bool properties = false, json = false;
};
Result<void> topology(Client& client, const TopoOptions& options);

}  // namespace fmd::cli
