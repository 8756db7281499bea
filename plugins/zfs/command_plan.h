// Turns a command of fmd into a plan, given the current pools: nothing to do, a refusal with its
// reason, or zpool(8) commands to run. The last safety check is here. Pure.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/hardware/overwrite_guard.h"
#include "plugins/sdk/messages.h"
#include "plugins/sdk/plugin.h"
#include "plugins/zfs/disk_finder.h"
#include "plugins/zfs/pool_model.h"

namespace fmd::zfs {

struct PlanFacts {
  std::function<DeviceFacts(const Vdev&)> device;
  std::function<std::string(const Vdev&)> disk;  // FMRI
  std::function<bool(const Vdev&)> present;      // whether the device that ZFS would open exists
  std::function<std::string(const Vdev&, std::string_view device)> path_in_place =
      {};  // the vdev's own name, if `device` has it now; "" otherwise
  std::function<bool(const Vdev&)> bears_label;     // whether that device has its label
  std::function<std::string(const Vdev&)> at_path;  // FMRI of the disk that ZFS would open
  // Path on that disk (FMRI) with the vdev's label; "" none.
  std::function<std::string(const Vdev&, std::string_view disk)> labelled_path;
  bool takes_names = false;                         // `zpool set path=` (OpenZFS 2.2)
  std::function<bool(const Vdev&)> is_mapped = {};  // on LUKS, LVM or the like
  std::function<Result<std::string>(std::string_view device, std::string_view path)> stable_path;
  std::function<bool(const std::string& path)> has_partitions;
  // Keys of the fmd commands that caused the vdev's state and brought in its spare; "" not fmd.
  std::function<std::string(uint64_t vdev)> retired_by, spare_key;
  std::set<std::string> no_spare = {};                     // zfs.toml: names of pools
  SpareOrder spare_order = SpareOrder::distributed_first;  // zfs.toml
  bool retire_only_with_spare = false;                     // zfs.toml
};

struct Plan {
  std::optional<sdk::CommandReply> answer;      // replied at once, nothing is run
  std::vector<std::vector<std::string>> steps;  // argv each
  bool alternatives = false;  // the first step that succeeds is enough; otherwise all run, in order
  // By step: the disk that it overwrites; checked immediately before (overwrite_guard.h).
  std::map<size_t, hardware::Overwrite> overwrites;
};

using sdk::done, sdk::failed, sdk::refused;

// retire, restore, spare_in, spare_out, replace for a vdev in this pool.
Plan plan_command(const sdk::CommandRequest& request, const Pool& pool, uint64_t vdev,
                  const PlanFacts& facts);
// restore and spare_out undo the fmd command of args "key", or any state if "by" is "person". A
// restore "by": "return" is for a vdev whose disk has come back.
bool by_person(const sdk::CommandRequest& request);
std::string wrong_args(const sdk::CommandRequest& request);    // "" if valid
std::string wanted_state(const sdk::CommandRequest& request);  // of a retire: DEGRADED or FAULTED
// What the command still lacks, for people; "" if its goal is reached.
std::string unmet(const sdk::CommandRequest& request, const Pool& pool, uint64_t vdev,
                  const PlanFacts& facts);
// The reply once the goal is reached: says what was done. If not by us: detail "already".
sdk::CommandReply success(const sdk::CommandRequest& request, const Pool& pool, uint64_t vdev,
                          bool by_us);
// Why the second step of a restore must not run; "" it may. Unless a person asks, a disk that the
// kernel has FAULTED stays so.
std::string restore_stop(const sdk::CommandRequest& request, const Pool& pool, uint64_t vdev);

}  // namespace fmd::zfs
