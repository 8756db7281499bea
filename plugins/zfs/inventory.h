// Pools and vdevs as resources for fmd (schemas/resources.md: zfs-pool, zfs-vdev, ASRU words).
// Pure.
#pragma once
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "plugins/zfs/memory.h"
#include "plugins/zfs/pair_errors.h"
#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

// The values set for checksum_n, checksum_t, io_n, io_t, slow_io_n, slow_io_t, by vdev guid (root:
// the pool's guid). OpenZFS ≥ 2.2.
using VdevProperties = std::map<uint64_t, std::map<std::string, uint64_t>>;

struct InventoryContext {
  std::function<std::string(const Vdev&)> disk;   // FMRI of a leaf's disk; "" unknown or no disk
  std::function<bool(const Vdev&)> device_there;  // whether the device that ZFS would open exists
  std::function<std::string(const Vdev&)> in_place = {};  // FMRI of the disk in its place; "" none
  std::function<bool(const Vdev&)> is_mapped = {};        // on LUKS, LVM or the like
  std::function<bool(const Vdev&)> bears_label = {};      // whether its label is the vdev's own
  std::function<std::string(uint64_t vdev)> record = {};  // history record of its state; "" unknown
  const VdevProperties* properties = nullptr;
  std::string last_scan;  // text of the last finished scan
  const PairErrors* pair_errors = nullptr;
  const Memory* memory = nullptr;       // fmd's own actions, and the pools' past
  int64_t now_ns = 0;                   // wall clock of the look
  bool automatic_spare = true;          // zfs.toml: no_spare
  bool retire_only_with_spare = false;  // zfs.toml
  bool observed = true;                 // false: last known state, the pool does not respond
  bool import_runs = false;             // a `zpool import` may be why it does not respond
};

// An administrator's settings, as worded in refusals.
inline constexpr std::string_view kNoSpare = "zfs.toml: no_spare has this pool";
inline constexpr std::string_view kOnlyWithSpare =
    "no spare can come in for it, and zfs.toml has retire_only_with_spare = true";

std::string_view service_word(std::string_view state);  // ONLINE → in-service ...
// A pool that was imported before this boot and is not present.
nlohmann::json missing_pool(uint64_t guid, const std::string& name);
// fmri → resource, as in the protocol's inventory message.
std::map<std::string, nlohmann::json> pool_resources(const Pool& pool,
                                                     const InventoryContext& context);

}  // namespace fmd::zfs
