#include "fmd/advice/storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fmd/base/counted.h"
#include "fmd/base/text.h"
#include "fmd/model/scan_noun.h"

namespace fmd {
namespace {

constexpr size_t kLongestPoolName = 40;
constexpr int kPlenty = 1000;  // more disks than a group can lose

std::string_view plugin_of(const Resource& storage) {
  return storage.type == "zfs-pool" ? "zfs" : "volumes";
}

void collect_leaves(const Inventory& inventory, const Resource& from, int depth,
                    std::vector<const Resource*>& leaves) {
  constexpr int kDeepest = 8;
  bool inner = false;
  for (const Edge& edge : from.edges) {
    const Resource* below =
        edge.relation == Relation::redundancy ? inventory.find(edge.to) : nullptr;
    if (!below || (below->type != "zfs-vdev" && below->type != "md-member")) continue;
    inner = true;
    if (depth < kDeepest) collect_leaves(inventory, *below, depth + 1, leaves);
  }
  if (!inner) leaves.push_back(&from);
}

bool holds_data(const Resource& leaf) {
  return leaf.is("role", "data") || leaf.is("role", "special") || leaf.is("role", "dedup") ||
         (leaf.is("role", "spare") && !is_idle_spare(leaf));
}

bool is_in_use(const Resource& leaf) {
  return leaf.present && (leaf.is("service", "in-service") || leaf.is("service", "degraded"));
}

bool has_lost_disk(const Inventory& inventory, const Resource& leaf) {
  bool any = false;
  for (const Edge& edge : leaf.edges) {
    const Resource* disk =
        edge.relation == Relation::redundancy ? inventory.find(edge.to) : nullptr;
    if (!disk || disk->type != "disk") continue;
    if (disk->present) return false;
    any = true;
  }
  return any;
}

bool any_in_use(const Inventory& inventory, const Resource& slot) {
  std::vector<const Resource*> leaves;
  collect_leaves(inventory, slot, 0, leaves);
  return std::any_of(leaves.begin(), leaves.end(),
                     [](const Resource* leaf) { return is_in_use(*leaf); });
}

// More of its slots are empty than its level can survive: it has lost data already.
bool is_broken(const Inventory& inventory, const Resource& top) {
  int slots = 0, empty = 0;
  for (const Edge& edge : top.edges) {
    const Resource* slot =
        edge.relation == Relation::redundancy ? inventory.find(edge.to) : nullptr;
    if (!slot || slot->type != "zfs-vdev") continue;
    ++slots;
    if (!any_in_use(inventory, *slot)) ++empty;
  }
  const int64_t parity = top.is("vdev_type", "mirror") ? slots - 1 : number_in(top, "parity", -1);
  return parity >= 0 && empty > parity;
}

// One top-level vdev or array member.
int group_survives(const Inventory& inventory, const Resource& top) {
  std::vector<const Resource*> leaves;
  if (is_broken(inventory, top)) return 0;
  collect_leaves(inventory, top, 0, leaves);
  std::optional<int> least;
  int lost = 0;
  for (const Resource* leaf : leaves) {
    if (!holds_data(*leaf) || !is_in_use(*leaf)) continue;
    if (has_lost_disk(inventory, *leaf)) {
      ++lost;
      continue;
    }
    if (leaf->properties.find("losses_left") == leaf->properties.end()) return 0;
    least =
        std::min(static_cast<int>(number_in(*leaf, "losses_left", 0)) + 1, least.value_or(kPlenty));
  }
  return std::max(0, least.value_or(0) - lost);
}

// Top-level vdevs that hold the pool's data.
std::vector<const Resource*> data_groups(const Inventory& inventory, const Resource& pool) {
  std::vector<const Resource*> out;
  for (const Edge& edge : pool.edges) {
    const Resource* top = edge.relation == Relation::redundancy ? inventory.find(edge.to) : nullptr;
    if (top && !top->is("role", "log") && !top->is("role", "cache")) out.push_back(top);
  }
  return out;
}

// The only group of several that survives no failure.
std::string exhausted_group(const Inventory& inventory, const Resource& pool) {
  if (pool.type != "zfs-pool" || lacks_copies(pool)) return {};
  const auto groups = data_groups(inventory, pool);
  std::vector<const Resource*> exhausted;
  for (const Resource* top : groups)
    if (group_survives(inventory, *top) == 0) exhausted.push_back(top);
  if (exhausted.size() != 1 || groups.size() < 2) return {};
  return display(exhausted.front()->get("name"), kLongestPoolName);
}

}  // namespace

bool acts_on(const Inventory& inventory, const Resource& member) {
  const Resource* plugin = inventory.find("fmd://plugin=zfs");
  if (!plugin || member.type != "zfs-vdev") return true;
  return !plugin->is("act", "never") &&
         !(plugin->is("act", "unless-zed") && plugin->is("zed", "running"));
}

bool is_lost_unnoticed(const Inventory& inventory, const Resource& leaf) {
  return is_in_use(leaf) && has_lost_disk(inventory, leaf);
}

int unnoticed_losses(const Inventory& inventory, const Resource& storage, const Resource& leaf) {
  std::vector<const Resource*> leaves;
  collect_leaves(inventory, storage, 0, leaves);
  return static_cast<int>(std::count_if(leaves.begin(), leaves.end(), [&](const Resource* other) {
    return other != &leaf && other->get("group") == leaf.get("group") &&
           other->get("losses_group") == leaf.get("losses_group") &&
           is_lost_unnoticed(inventory, *other);
  }));
}

std::string storage_name(const Resource& storage) {
  const std::string name = storage.get("name");
  const std::string_view kind = storage.type == "md-array" ? "array"
                                : storage.type == "btrfs"  ? "btrfs"
                                                           : "pool";
  return fmt::format("{} {}", kind, display(name.empty() ? storage.fmri : name, kLongestPoolName));
}

bool is_current(const Inventory& inventory, const Resource& storage) {
  return why_not_current(inventory, storage).empty();
}

bool is_observed(const Inventory& inventory, const Resource& storage) {
  const Resource* source = inventory.find(fmt::format("fmd://plugin={}", plugin_of(storage)));
  constexpr std::array<std::string_view, 5> kBlind{"dead", "silent", "stopped", "disabled",
                                                   "not-observed"};
  return !source || std::none_of(kBlind.begin(), kBlind.end(), [&](std::string_view state) {
    return source->is("state", state);
  });
}

std::string why_not_current(const Inventory& inventory, const Resource& storage) {
  if (!is_observed(inventory, storage))
    return fmt::format("fmd-{} does not observe it now", plugin_of(storage));
  if (!storage.present) return "it is not imported";
  if (storage.is("waits_for", "import"))
    return "a 'zpool import' runs, and other zpool commands wait for its end";
  if (storage.is("observed", "not-observed")) return "it does not respond";
  if (storage.is("health", "NOT IMPORTED")) return "it is not imported";
  if (storage.is("health", "missing"))
    return storage.type == "btrfs" ? "it is not mounted" : "it is not assembled";
  return {};
}

std::optional<int> survives(const Inventory& inventory, const Resource& storage) {
  if (!is_current(inventory, storage)) return {};
  if (lacks_copies(storage)) return 0;
  std::optional<int> least;
  int lost = 0;  // of an array, whose members have no vdev above them
  for (const Resource* top : data_groups(inventory, storage)) {
    // The kernel lists a failed member until it is removed. The others' losses_left know of it.
    if (storage.type == "md-array" && is_lost_unnoticed(inventory, *top))
      ++lost;
    else if (storage.type == "zfs-pool" || (holds_data(*top) && is_in_use(*top)))
      least = std::min(group_survives(inventory, *top), least.value_or(kPlenty));
  }
  return least ? std::optional(std::max(0, *least - lost)) : std::nullopt;
}

int ailing_members(const Inventory& inventory, const Resource& storage) {
  std::vector<const Resource*> leaves;
  collect_leaves(inventory, storage, 0, leaves);
  return static_cast<int>(std::count_if(leaves.begin(), leaves.end(), [](const Resource* leaf) {
    return leaf->present && holds_data(*leaf) && !leaf->is("service", "in-service") &&
           !leaf->is("spare", "active");
  }));
}

std::string survival_words(const Inventory& inventory, const Resource& storage) {
  const std::optional<int> more = survives(inventory, storage);
  if (!more) return {};
  if (*more > 0) return "survives " + counted(*more, "more disk");
  const std::string group = exhausted_group(inventory, storage);
  return "survives no more disk failure" + (group.empty() ? "" : " in " + group);
}

std::string redundancy_words(const Inventory& inventory, const Resource& storage) {
  const std::string name = storage_name(storage);
  if (const std::string why = why_not_current(inventory, storage); !why.empty())
    return fmt::format("fmd cannot see {}: {}", name, why);
  if (const int64_t missing = number_in(storage, "missing", 0);
      storage.type == "btrfs" && missing > 0)
    return fmt::format("{} lacks {} of its {} devices", name, missing,
                       number_in(storage, "devices", missing));
  // It has lost more than it survives; its own case says so.
  if (lacks_copies(storage)) return {};
  const std::string words = survival_words(inventory, storage);
  return words.empty() ? std::string() : name + " " + words;
}

std::string time_left_words(int64_t seconds) {
  const int64_t minutes = seconds / 60, hours = minutes / 60;
  if (seconds < 120) return fmt::format("{} s", seconds);
  if (minutes < 60) return fmt::format("{} min", minutes);
  if (hours < 48) return fmt::format("{} h {} min", hours, minutes % 60);
  return fmt::format("{} days", hours / 24);
}

std::string scan_words(const Inventory& inventory, const Resource& storage) {
  if (!is_current(inventory, storage)) return {};
  const std::string work = display(storage.get("scan"), kLongestPoolName);
  if (!storage.present || work.empty() || work == "none") return {};
  std::string text =
      fmt::format("{} {} %", scan_noun(storage.fmri, work),
                  std::clamp<int64_t>(number_in(storage, "scan_percent", 0), 0, 100));
  if (storage.is("scan_paused", "true")) return text + ", paused";
  if (const int64_t left = number_in(storage, "scan_seconds_left", -1); left >= 0)
    text += fmt::format(", {} left", time_left_words(left));
  return text;
}

}  // namespace fmd
