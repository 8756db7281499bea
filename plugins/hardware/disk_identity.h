// The identity of a block device's disk, from sysfs. Shared by all plugins, so that their reports
// about one disk have one FMRI.
#pragma once
#include <string>
#include <string_view>

#include "fmd/base/result.h"
#include "plugins/sdk/host.h"

namespace fmd::hardware {

struct DiskIdentity {
  std::string fmri;  // dev://wwn=… or dev://serial=…; "" if it has neither
  std::string serial, wwn, vendor, model, firmware;
  std::string name;  // of the whole disk, as in /sys/block
};
// device: "sdf", "/dev/sdf1", "nvme0n1". A partition, multipath map or other one-disk mapping
// resolves to its disk. Fails if there is no such block device.
Result<DiskIdentity> identify_disk(const sdk::Host& host, std::string_view device);
// Whether that device of /sys/block is on a mapping that a new disk does not have, such as LUKS or
// LVM. Multipath and its partitions are none.
bool is_mapped(const sdk::Host& host, const std::string& name);

}  // namespace fmd::hardware
