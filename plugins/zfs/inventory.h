// Pools and vdevs as resources for the core (schemas/resources.md: zfs-pool, zfs-vdev, ASRU words).
// Pure.
#pragma once
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "plugins/zfs/memory.h"
#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

// checksum_n, checksum_t, io_n, io_t that are set, by vdev guid (the root's: the pool's guid).
// OpenZFS ≥ 2.2.
using VdevProperties = std::map<uint64_t, std::map<std::string, uint64_t>>;

struct InventoryContext {
  std::function<std::string(const Vdev&)>
      disk;  // FMRI of the disk below a leaf; "" unknown, not a disk
  const VdevProperties* properties = nullptr;
  std::string last_scan;           // text of the last finished scan
  const Memory* memory = nullptr;  // what of it is fmd's doing
};

std::string_view service_word(std::string_view state);  // ONLINE → in-service ...
// fmri → resource, as in the protocol's inventory message.
std::map<std::string, nlohmann::json> pool_resources(const Pool& pool,
                                                     const InventoryContext& context);

}  // namespace fmd::zfs
