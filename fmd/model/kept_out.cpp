#include "fmd/model/kept_out.h"

#include <fmt/format.h>

#include "fmd/base/text.h"

namespace fmd {

std::string zfs_keeps_out(const Resource& vdev) {
  return fmt::format("ZFS has {} it itself: 'zpool clear {} {}' puts it back",
                     vdev.is("state", "DEGRADED") ? "degraded" : "faulted",
                     display(vdev.get("pool"), 60), display(vdev.get("name"), 60));
}

}  // namespace fmd
