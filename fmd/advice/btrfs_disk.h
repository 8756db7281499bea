// A disk of a btrfs file system: btrfs replaces its devices by its own command, takes none back while
// it is mounted, and fmd changes nothing of it. Pure.
#pragma once
#include <string>
#include <string_view>

#include "fmd/advice/say_orders.h"
#include "fmd/model/inventory.h"

namespace fmd {

// The device that is on this disk, or was when it was last seen; nullptr: none.
const Resource* btrfs_device_on(const Inventory& inventory, std::string_view disk);
const Resource* btrfs_of(const Inventory& inventory, const Resource& device);

// "'btrfs replace start 2 NEW-DISK MOUNTPOINT'"; by: the new disk, nullptr if it is not there yet.
std::string btrfs_replace_command(const Resource& device, const Resource* by);
// The disk is back, but the file system works without it.
bool waits_for_mount(const Situation& s);
Orders btrfs_mount_orders(const Situation& s);
void btrfs_exchange_steps(const Situation& s, Orders& out);

}  // namespace fmd
