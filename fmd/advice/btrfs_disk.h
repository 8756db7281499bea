// Advice about a disk of a btrfs file system. btrfs replaces devices with a command of its own and uses
// a returned device only after it was mounted again; fmd does not change btrfs. Pure.
#pragma once
#include <string>
#include <string_view>

#include "fmd/advice/say_orders.h"
#include "fmd/model/inventory.h"

namespace fmd {

// The btrfs device on this disk, or the last known one; nullptr if there is none.
const Resource* btrfs_device_on(const Inventory& inventory, std::string_view disk);
const Resource* btrfs_of(const Inventory& inventory, const Resource& device);

// "'btrfs replace start 2 NEW-DEVICE MOUNTPOINT'"; by: the new disk, or nullptr.
std::string btrfs_replace_command(const Resource& device, const Resource* by);
// The disk is back, but the file system works without it.
bool waits_for_mount(const Situation& s);
Orders btrfs_mount_orders(const Situation& s);
void btrfs_exchange_steps(const Situation& s, Orders& out);

}  // namespace fmd
