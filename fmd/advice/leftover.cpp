#include "fmd/advice/leftover.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/advice/storage.h"
#include "fmd/base/counted.h"
#include "fmd/base/text.h"
#include "fmd/model/only_copy.h"
#include "fmd/model/scan_noun.h"

namespace fmd {
namespace {

using Storages = std::vector<const Resource*>;

void add(Storages& storages, const Resource* one) {
  if (one && one->present && std::find(storages.begin(), storages.end(), one) == storages.end())
    storages.push_back(one);
}

void add_users(Storages& storages, const Inventory& inventory, std::string_view disk) {
  for (const Resource* member : inventory.parents(disk, Relation::redundancy))
    if (member->present && !is_idle_spare(*member))
      add(storages, storage_of(inventory, member->fmri));
}

// True for a controller, a link or a shelf.
bool leads_to_others(const Inventory& inventory, const std::string& part) {
  const Resource* r = inventory.find(part);
  return r && (r->type == "enclosure" || !inventory.parents(part, Relation::path).empty());
}

// Includes the pools of the disk now in the bay, which may be the replacement.
Storages storages_of(const Case& c, const Inventory& inventory) {
  Storages out;
  bool shared = false;
  for (const Suspect& s : c.suspects) {
    add(out, storage_of(inventory, s.resource));
    add(out, storage_of(inventory, s.asru));
    add_users(out, inventory, s.fru);
    if (const Resource* bay = inventory.find(s.bay))
      for (const Edge& edge : bay->edges)
        if (edge.relation == Relation::contains) add_users(out, inventory, edge.to);
    shared |= leads_to_others(inventory, s.resource);
  }
  if (!out.empty() || !shared) return out;
  // Any pool may have disks behind a shared part.
  for (const auto& [fmri, r] : inventory.all())
    if (r.type == "zfs-pool" || r.type == "md-array") add(out, &r);
  return out;
}

std::string words_of(const Inventory& inventory, const Resource& storage) {
  const std::string name = storage_name(storage);
  if (const std::string why = why_not_current(inventory, storage); !why.empty())
    return fmt::format("Look at {}: fmd cannot see it, because {}", name, why);
  if (storage.is("scan", "resilver")) {
    const std::string noun(scan_noun(storage.fmri, "resilver"));
    const std::string progress = scan_words(inventory, storage).substr(noun.size() + 1);
    return fmt::format("Wait for the {} of {} ({})", noun, name, progress);
  }
  const std::string health = storage.get("health");
  if (!health.empty() && health != "ONLINE" && health != "optimal")
    return fmt::format("Look at 'fmadm': {} is still {}", name, display(health, 40));
  if (const int ailing = ailing_members(inventory, storage); ailing > 0)
    return fmt::format("Look at 'fmadm': {} of {} {} not in full service", counted(ailing, "disk"),
                       name, ailing == 1 ? "is" : "are");
  return {};
}

}  // namespace

std::string leftover_words(const Case& c, const Inventory& inventory) {
  for (const Resource* storage : storages_of(c, inventory))
    if (std::string words = words_of(inventory, *storage); !words.empty()) return words;
  return {};
}

}  // namespace fmd
