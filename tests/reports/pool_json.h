// The answer of `zpool status -j` (OpenZFS 2.3 and later) that has the same content as a text of `zpool status -P`.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "plugins/zfs/zpool_status.h"

namespace fmd::reports {

// guid: of a vdev by its name in the text.
std::string as_json(const zfs::StatusPool& status,
                    const std::function<uint64_t(const std::string&)>& guid);

}  // namespace fmd::reports
