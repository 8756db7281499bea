#include "fmd/diagnosis/path_memory.h"

#include <algorithm>

namespace fmd {

void PathMemory::observe(const Inventory& inventory, const Resource& leading) {
  for (const Edge& edge : leading.edges) {
    if (edge.relation != Relation::path) continue;
    std::vector<std::string> all;
    for (const Resource* r : inventory.parents(edge.to, Relation::path)) all.push_back(r->fmri);
    std::sort(all.begin(), all.end());
    last_[edge.to] = std::move(all);
  }
}

void PathMemory::observe(const Inventory& inventory, const std::vector<InventoryChange>& changes) {
  for (const InventoryChange& change : changes) {
    if (change.kind == InventoryChange::Kind::removed)
      last_.erase(change.fmri);
    else if (const Resource* r = inventory.find(change.fmri); r && r->present)
      observe(inventory, *r);
  }
}

const std::vector<std::string>& PathMemory::to(std::string_view part) const {
  static const std::vector<std::string> kNone;
  const auto at = last_.find(part);
  return at == last_.end() ? kNone : at->second;
}

}  // namespace fmd
