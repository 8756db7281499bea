#include "fmd/diagnosis/path_memory.h"

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/json_value.h"
#include "fmd/diagnosis/rule_key.h"

namespace fmd {

void PathMemory::observe(const Inventory& inventory, const Resource& leading) {
  for (const Edge& edge : leading.edges) {
    if (edge.relation != Relation::path) continue;
    std::vector<std::string> all;
    for (const Resource* r : inventory.parents(edge.to, Relation::path)) all.push_back(r->fmri);
    std::sort(all.begin(), all.end());
    learn(edge.to, std::move(all));
  }
}

void PathMemory::learn(const std::string& part, std::vector<std::string> leading) {
  std::vector<std::string>& known = last_[part];
  if (known != leading) {
    dirty_.insert(part);
    ++changes_;
    for (const std::string& old : known) {
      const auto at = leads_.find(old);
      at->second.erase(part);
      if (at->second.empty()) leads_.erase(at);
    }
    for (const std::string& now : leading) leads_[now].insert(part);
    known = std::move(leading);
  }
  if (known.empty()) last_.erase(part);
}

void PathMemory::observe(const Inventory& inventory, const std::vector<InventoryChange>& changes) {
  for (const InventoryChange& change : changes) {
    if (change.kind == InventoryChange::Kind::removed)
      learn(change.fmri, {});
    else if (const Resource* r = inventory.find(change.fmri); r && r->present)
      observe(inventory, *r);
  }
}

void PathMemory::take_changes(std::vector<StateRow>& rows) {
  for (const std::string& part : dirty_) {
    const auto at = last_.find(part);
    rows.push_back({"path", part, at == last_.end() ? "" : dump_json({{"last", at->second}})});
  }
  dirty_.clear();
}

void PathMemory::mark_all_changed() {
  for (const auto& [part, leading] : last_) dirty_.insert(part);
}

Result<void> PathMemory::restore(const StateRow& row) {
  const auto doc = object_of(row);
  if (!doc) return tl::unexpected(doc.error());
  std::vector<std::string> leading;
  if (const auto last = doc->find("last"); last != doc->end() && last->is_array())
    for (const auto& one : *last)
      if (one.is_string()) leading.push_back(one.get<std::string>());
  learn(row.key, std::move(leading));
  dirty_.erase(row.key);
  return {};
}

const std::vector<std::string>& PathMemory::to(std::string_view part) const {
  static const std::vector<std::string> kNone;
  const auto at = last_.find(part);
  return at == last_.end() ? kNone : at->second;
}

const std::set<std::string>& PathMemory::from(std::string_view leading) const {
  static const std::set<std::string> kNone;
  const auto at = leads_.find(leading);
  return at == leads_.end() ? kNone : at->second;
}

}  // namespace fmd
