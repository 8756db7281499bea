// Storage: the pools and arrays in the inventory: which of them use a disk, how many more disks
// each survives, and what is stored on it. Pure.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/model/inventory.h"
#include "fmd/model/only_copy.h"

namespace fmd {

std::string storage_name(const Resource& storage);  // "pool tank", "array md0"

// The plugin that observes the pool runs, and the pool responds: what the inventory has is so now.
bool is_current(const Inventory& inventory, const Resource& storage);
// Its plugin runs.
bool is_observed(const Inventory& inventory, const Resource& storage);
std::string why_not_current(const Inventory& inventory, const Resource& storage);

// Number of further disks, in any combination, that may fail without loss of data. Nothing:
// unknown.
std::optional<int> survives(const Inventory& inventory, const Resource& storage);
// Data members that are degraded or out of use, except those whose data a spare holds.
int ailing_members(const Inventory& inventory, const Resource& storage);
// "survives 1 more disk", "survives no more disk failure", or "… in mirror-1" if other groups of the
// pool can lose a disk; "": unknown.
std::string survival_words(const Inventory& inventory, const Resource& storage);
// "pool tank survives 1 more disk", or that fmd cannot see the pool.
std::string redundancy_words(const Inventory& inventory, const Resource& storage);

// "resilver 33 %, 13 s left"; "" none runs.
std::string scan_words(const Inventory& inventory, const Resource& storage);
// "13 s", "4 min", "2 h 5 min", "3 days": at most two units, for reading.
std::string time_left_words(int64_t seconds);
// Whether fmd acts on the member. If zfs.toml leaves changes of pools to ZED or to a person, fmd refuses such commands.
bool acts_on(const Inventory& inventory, const Resource& member);
// The leaf counts as in use although its disk is gone: md and ZFS notice that only at their next write.
bool is_lost_unnoticed(const Inventory& inventory, const Resource& leaf);
// Members of the leaf's group that are lost, but not noticed.
int unnoticed_losses(const Inventory& inventory, const Resource& storage, const Resource& leaf);

}  // namespace fmd
