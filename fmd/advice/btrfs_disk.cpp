#include "fmd/advice/btrfs_disk.h"

#include <fmt/format.h>

#include "fmd/advice/storage.h"
#include "fmd/base/text.h"

namespace fmd {

const Resource* btrfs_device_on(const Inventory& inventory, std::string_view disk) {
  for (const Resource* r : inventory.parents(disk, Relation::redundancy))
    if (r->present && r->type == "btrfs-device" && btrfs_of(inventory, *r)) return r;
  return nullptr;
}

const Resource* btrfs_of(const Inventory& inventory, const Resource& device) {
  for (const Resource* r : inventory.parents(device.fmri, Relation::redundancy))
    if (r->present && r->type == "btrfs") return r;
  return nullptr;
}

std::string btrfs_replace_command(const Resource& device, const Resource* by) {
  const std::string path = by ? by->get("path") : "";
  return fmt::format("'btrfs replace start {} {} MOUNTPOINT'", display(device.get("devid"), 20),
                     path.empty() ? kNewDevice : display(path));
}

bool waits_for_mount(const Situation& s) {
  return s.btrfs && s.present && s.btrfs->is("state", "missing");
}

Orders btrfs_mount_orders(const Situation& s) {
  Orders out;
  out.do_now = fmt::format("Unmount {} and mount it again: {} is back", storage_name(*s.storage),
                           the_disk(s));
  out.steps.emplace_back("btrfs takes no device back while it is mounted.");
  out.steps.emplace_back(
      "Then run 'btrfs scrub start MOUNTPOINT': the disk lacks what was written without it.");
  return out;
}

void btrfs_exchange_steps(const Situation& s, Orders& out) {
  out.steps.push_back(
      fmt::format("Put a blank disk at least as large into another bay and run {}: it copies what "
                  "it can, and takes the rest from other copies.",
                  btrfs_replace_command(*s.btrfs, nullptr)));
  out.steps.push_back(fmt::format(
      "'btrfs replace status MOUNTPOINT' shows the progress; pull {} when it has ended.", s.name));
}

}  // namespace fmd
