// What a command of the core amounts to, given the pools as they are right now: nothing to do, a
// refusal with its reason, or zpool(8) commands to run. The last safety check sits here. Pure.
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
  std::function<bool(const Vdev&)> present;      // whether there is what ZFS would open
  std::function<std::string(const Vdev&, std::string_view device)> path_in_place =
      {};  // the vdev's own name, when the device is there under it; "" else
  std::function<bool(const Vdev&)> bears_label;     // what ZFS would open now is this vdev
  std::function<std::string(const Vdev&)> at_path;  // FMRI of the disk that ZFS would open now
  // Where on that disk (FMRI) the vdev's label is; "" nowhere.
  std::function<std::string(const Vdev&, std::string_view disk)> labelled_path;
  bool takes_names = false;  // `zpool set path=` (OpenZFS 2.2)
  std::function<Result<std::string>(std::string_view device, std::string_view path)> stable_path;
  std::function<bool(const std::string& path)> has_partitions;
  // Keys of fmd's commands that made the vdev's state, and that brought in its spare; "" others did.
  std::function<std::string(uint64_t vdev)> retired_by, spare_key;
  std::set<std::string> no_spare = {};                     // zfs.toml: names of pools
  SpareOrder spare_order = SpareOrder::distributed_first;  // zfs.toml
  bool retire_only_with_spare = false;                     // zfs.toml
};

struct Plan {
  std::optional<sdk::CommandReply> answer;      // at once, nothing is run
  std::vector<std::vector<std::string>> steps;  // argv each
  bool alternatives = false;  // the first step that works is enough; else all, in order
  // By step: the disk that it overwrites, which is checked immediately before it (overwrite_guard.h).
  std::map<size_t, hardware::Overwrite> overwrites;
};

using sdk::done, sdk::failed, sdk::refused;

// retire, restore, spare_in, spare_out, replace for a vdev in this pool.
Plan plan_command(const sdk::CommandRequest& request, const Pool& pool, uint64_t vdev,
                  const PlanFacts& facts);
// restore and spare_out undo what fmd's command of args "key" did, or what a person says ("by":
// "person"). A restore "by": "return" is of a vdev whose disk was gone and is there again.
bool by_person(const sdk::CommandRequest& request);
std::string wrong_args(const sdk::CommandRequest& request);    // "" they are right
std::string wanted_state(const sdk::CommandRequest& request);  // of a retire: DEGRADED or FAULTED
// Whether what was asked for is so. "" it is; else what is still missing, for people.
std::string unmet(const sdk::CommandRequest& request, const Pool& pool, uint64_t vdev,
                  const PlanFacts& facts);
// The reply once it is so: says what was done. Not by us: detail "already".
sdk::CommandReply success(const sdk::CommandRequest& request, const Pool& pool, uint64_t vdev,
                          bool by_us);
// Of two steps of a restore: why the second may not be done, "" it may. Not by a person's word, what
// the kernel has FAULTED stays so.
std::string restore_stop(const sdk::CommandRequest& request, const Pool& pool, uint64_t vdev);

}  // namespace fmd::zfs
