#include "fmd/advice/storages_behind.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fmd/base/counted.h"
#include "fmd/base/text.h"

namespace fmd {
namespace {

constexpr int kMostLevels = 12;

void collect_below(const Inventory& inventory, const std::string& part, int depth,
                   std::set<std::string>& seen) {
  if (depth > kMostLevels || !seen.insert(part).second) return;
  const Resource* r = inventory.find(part);
  if (!r) return;
  for (const Edge& edge : r->edges)
    if (edge.relation == Relation::path || edge.relation == Relation::contains)
      collect_below(inventory, edge.to, depth + 1, seen);
}

bool uses_any(const Inventory& inventory, const Resource& from, const std::set<std::string>& disks,
              int depth) {
  return std::any_of(from.edges.begin(), from.edges.end(), [&](const Edge& edge) {
    if (edge.relation != Relation::redundancy) return false;
    if (disks.contains(edge.to)) return true;
    const Resource* below = inventory.find(edge.to);
    return below && depth < kMostLevels && uses_any(inventory, *below, disks, depth + 1);
  });
}

void replace_all(std::string& text, std::string_view old, std::string_view by) {
  for (size_t at = text.find(old); at != text.npos; at = text.find(old, at + by.size()))
    text.replace(at, old.size(), by);
}

std::vector<std::string> storage_names(const std::vector<const Resource*>& storages,
                                       std::string_view type) {
  std::vector<std::string> out;
  for (const Resource* one : storages)
    if (one->type == type) out.push_back(display(one->get("name"), 60));
  return out;
}

}  // namespace

std::vector<const Resource*> storages_behind(const Inventory& inventory, std::string_view part) {
  const Resource* shared = inventory.find(part);
  if (!shared || shared->type == "disk") return {};
  std::set<std::string> below;
  collect_below(inventory, shared->fmri, 0, below);
  std::vector<const Resource*> out;
  for (const auto& [fmri, r] : inventory.all())
    if (r.present && (r.type == "zfs-pool" || r.type == "md-array" || r.type == "btrfs") &&
        uses_any(inventory, r, below, 0))
      out.push_back(&r);
  return out;
}

void name_storages_behind(const Inventory& inventory, std::string_view part,
                          std::vector<std::string>& steps) {
  const auto is_about = [](const std::string& step, std::string_view word) {
    return step.find(word) != step.npos;
  };
  constexpr std::string_view kPool = " POOL'", kArray = "/dev/ARRAY", kEach = "each of their pools";
  if (std::none_of(steps.begin(), steps.end(), [&](const std::string& step) {
        return is_about(step, kPool) || is_about(step, kArray);
      }))
    return;
  const std::vector<const Resource*> storages = storages_behind(inventory, part);
  if (storages.empty()) return;
  const std::vector<std::string> pools = storage_names(storages, "zfs-pool"),
                                 arrays = storage_names(storages, "md-array");
  std::erase_if(steps, [&](const std::string& step) {
    return (pools.empty() && is_about(step, kPool)) || (arrays.empty() && is_about(step, kArray));
  });
  for (std::string& step : steps) {
    if (pools.size() == 1) {
      replace_all(step, kPool, fmt::format(" {}'", pools.front()));
      replace_all(step, " for each of their pools", "");
    } else if (!pools.empty()) {
      replace_all(step, kEach, fmt::format("each of the pools {}", listed(pools)));
    }
    if (arrays.size() == 1) replace_all(step, kArray, "/dev/" + arrays.front());
  }
}

}  // namespace fmd
