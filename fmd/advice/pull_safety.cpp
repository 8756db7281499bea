#include "fmd/advice/pull_safety.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "fmd/advice/btrfs_disk.h"
#include "fmd/advice/part_names.h"
#include "fmd/advice/storage.h"
#include "fmd/base/counted.h"
#include "fmd/base/text.h"
#include "fmd/model/last_copy.h"

namespace fmd {
namespace {

using Answer = PullSafety::Answer;

constexpr size_t kLongestReason = 160;

PullSafety no(std::string why) {
  return {Answer::no, std::move(why)};
}

// "last copy: raidz1-0 of pool 'tank' already has 1 disk out of service" is the plugin's own reason;
// `storage` names the pool already.
std::string refusal_words(const Resource& leaf, const std::string& storage) {
  std::string refusal = leaf.get("retire_refusal");
  if (refusal.starts_with(kLastCopy)) {
    std::string why = display(refusal.substr(kLastCopy.size()), kLongestReason);
    const std::string pool = fmt::format("pool '{}'", display(leaf.get("pool"), 60));
    if (why.starts_with(pool)) why.replace(0, pool.size(), "it");
    if (const size_t at = why.find(" of " + pool); at != why.npos) why.erase(at, pool.size() + 4);
    return fmt::format("{} would lose data: {}", storage, why);
  }
  if (!refusal.empty()) return display(refusal, kLongestReason);
  return fmt::format("fmd cannot see that {} survives it", storage);
}

bool is_out_of_use(const Resource& leaf) {
  return leaf.is("service", "out-of-service") || leaf.is("service", "removed");
}

std::string groups_key(const Resource& leaf) {
  return leaf.get("group") + "|" + leaf.get("losses_group");
}

// The reason why this leaf forbids it, or "". together: number of leaves of its group on the disk.
std::string against(const Inventory& inventory, const Resource& leaf, const Resource& storage,
                    int together) {
  const std::string name = storage_name(storage);
  if (is_idle_spare(leaf) || leaf.is("role", "cache")) return {};
  if (lacks_copies(storage))
    return fmt::format("{} is {}: bring its other disks back first", name,
                       storage.is("health", "SUSPENDED") ? "suspended" : storage.get("health"));
  if (leaf.is("state", "SPLIT")) return "another pool has its data since 'zpool split'";
  const std::string role = leaf.get("role");
  const auto left = leaf.properties.find("losses_left");
  if (role == "log" && left == leaf.properties.end() && leaf.get("retire_refusal").empty())
    return is_out_of_use(leaf) ? "" : fmt::format("it is the only log device of {}", name);
  if (left == leaf.properties.end()) return refusal_words(leaf, name);
  if (is_reshaped(storage)) return fmt::format("{} is being reshaped", name);
  // md does not read a failed member to fill its replacement.
  const bool unread = leaf.type == "md-member" && is_out_of_use(leaf);
  if (const Resource* by = inventory.find(leaf.get("replacing")); by && !unread)
    return fmt::format("{} is being filled from it", disk_words(inventory, *by));
  if (leaf.is("spare", "resilvering"))
    if (const Resource* by = inventory.find(leaf.get("spare_by")))
      return fmt::format("the spare {} does not hold all its data yet", disk_words(inventory, *by));
  const int lost = unnoticed_losses(inventory, storage, leaf);
  if (lost > 0 && number_in(leaf, "losses_left", 0) < together - 1 + lost)
    return fmt::format("{} of {} {} gone, and it would lose data", counted(lost, "other disk"),
                       name, lost == 1 ? "is" : "are");
  if (number_in(leaf, "losses_left", 0) < together - 1)
    return fmt::format("{} members of {} are on this disk, and {} would lose data", together,
                       display(leaf.get("losses_group"), 40), name);
  return {};
}

// Why it is safe, of one leaf.
std::string in_favour(const Inventory& inventory, const Resource& leaf, const Resource& storage) {
  const std::string name = storage_name(storage);
  if (is_idle_spare(leaf)) return fmt::format("it is a hot spare of {} that is not in use", name);
  if (leaf.is("role", "cache")) return fmt::format("{} only caches data on it", name);
  if (leaf.is("spare", "active"))
    if (const Resource* by = inventory.find(leaf.get("spare_by")))
      return fmt::format("the spare {} holds all its data", disk_words(inventory, *by));
  const auto left = leaf.properties.find("losses_left");
  if (left == leaf.properties.end()) return fmt::format("{} does not use it now", name);
  if (is_out_of_use(leaf)) return fmt::format("{} already works without it", name);
  const std::optional<int> now = survives(inventory, storage);
  const std::string group = display(leaf.get("losses_group"), 40);
  const int64_t own =
      number_in(leaf, "losses_left", 0) - unnoticed_losses(inventory, storage, leaf);
  // Another group may have nothing to spare, which is said of the pool.
  if (now == 0 && !group.empty())
    return fmt::format("{} survives without it{}", group, own > 0 ? "" : ", but no other failure");
  const int64_t more = std::min<int64_t>(own, now.value_or(std::numeric_limits<int>::max()));
  if (more <= 0) return fmt::format("{} survives without it, but no other failure", name);
  return fmt::format("{} survives without it and {}", name, counted(more, "more disk"));
}

PullSafety of_unused(const Resource& disk) {
  if (disk.is("content", "blank")) return {Answer::yes, "nothing is stored on it"};
  const std::string reason = display(disk.get("content_reason"), kLongestReason);
  if (disk.is("content", "used"))
    return no(reason.empty() ? "fmd cannot see what uses it"
                             : fmt::format("fmd cannot see whether it is in use: {}", reason));
  return no("fmd cannot see what is on it");
}

// An LVM volume of which dmsetup reports that it needs no single one of the disks.
bool survives_by_report(const Inventory& inventory, const Resource& volume) {
  const Resource* plugin = inventory.find("fmd://plugin=volumes");
  const bool current = !plugin || plugin->is("state", "ok") || plugin->is("state", "degraded");
  return volume.type == "lvm-volume" && current && !volume.get("last_copy_on").empty();
}

// It does not answer, though it may still sit in its bay: a pool that works without it loses nothing.
PullSafety of_absent(const Inventory& inventory, const Resource& disk) {
  for (const Resource* leaf : inventory.parents(disk.fmri, Relation::redundancy)) {
    if (const Resource* fs = btrfs_of(inventory, *leaf); fs && leaf->present)
      return no(fmt::format("it is a device of {}", storage_name(*fs)));
    const Resource* storage = storage_of(inventory, leaf->fmri);
    if (!storage) return no("fmd cannot see the pool that it belongs to");
    if (const std::string blind = why_not_current(inventory, *storage); !blind.empty())
      return no(fmt::format("fmd cannot see {}: {}", storage_name(*storage), blind));
    if (is_reshaped(*storage) && !is_idle_spare(*leaf))
      return no(fmt::format("{} is being reshaped", storage_name(*storage)));
    if (leaf->is("only_copy", "true"))
      return no(
          fmt::format("it may hold the only copy of some data of {}", storage_name(*storage)));
    if (lacks_copies(*storage))
      return no(
          fmt::format("{} has lost data or waits for it, and this disk may hold the only copy",
                      storage_name(*storage)));
  }
  return {Answer::yes, "it does not answer, and nothing works with it now"};
}

}  // namespace

std::string_view answer_name(PullSafety::Answer answer) {
  return answer == Answer::yes ? "yes" : answer == Answer::no ? "no" : "not_a_part";
}

PullSafety pull_safety(const Inventory& inventory, std::string_view fmri) {
  const Resource* disk = inventory.find(fmri);
  if (!disk) return no("fmd cannot see this disk");
  if (!disk->present) return of_absent(inventory, *disk);
  const std::vector<const Resource*> users = inventory.parents(fmri, Relation::redundancy);
  std::map<std::string, int> together;
  for (const Resource* leaf : users)
    if (!is_idle_spare(*leaf)) ++together[groups_key(*leaf)];
  std::string why;
  for (const Resource* leaf : users) {
    if (leaf->type != "zfs-vdev" && leaf->type != "md-member") {
      if (!leaf->present) continue;
      if (const Resource* fs = btrfs_of(inventory, *leaf))
        return no(fmt::format("it is a device of {}", storage_name(*fs)));
      const std::string name =
          display(leaf->get("pool").empty() ? leaf->get("name") : leaf->get("pool"), 40);
      if (holds_last_copy(*leaf, fmri))
        return no(fmt::format("{} would lose data: it has no other copy of what is on it", name));
      if (!survives_by_report(inventory, *leaf))
        return no(fmt::format("fmd cannot see whether {} survives it",
                              name.empty() ? display(leaf->fmri) : name));
      if (has_lost_another(inventory, *leaf, fmri))
        return no(fmt::format("another disk of {} is gone", name));
      why += fmt::format("{}{} survives without it", why.empty() ? "" : "; ", name);
      continue;
    }
    const Resource* storage = storage_of(inventory, leaf->fmri);
    if (!storage) return no("fmd cannot see the pool that it belongs to");
    if (const std::string blind = why_not_current(inventory, *storage); !blind.empty())
      return no(fmt::format("fmd cannot see {}: {}", storage_name(*storage), blind));
    if (!leaf->present) continue;  // it was detached, or replaced
    if (const std::string reason = against(inventory, *leaf, *storage, together[groups_key(*leaf)]);
        !reason.empty())
      return no(reason);
    const std::string said = in_favour(inventory, *leaf, *storage);
    why += (why.empty() ? "" : "; ") + said;
  }
  if (const Resource* fs = file_system_on(inventory, *disk))
    return no(fmt::format("the file system {} is on it", display(fs->get("name"), 60)));
  return why.empty() ? of_unused(*disk) : PullSafety{Answer::yes, std::move(why)};
}

}  // namespace fmd
