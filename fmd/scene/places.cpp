#include "fmd/scene/places.h"

#include <algorithm>
#include <set>

namespace fmd::scene {
namespace {

constexpr size_t kMost = 20'000;  // protects against cycles and false data

bool is_card(const Resource& r) {
  return r.type == "pci" || r.type == "hba" || r.type == "nic";
}

// All resources reachable from `from`, in the order of discovery; `step` appends the neighbours.
template <typename Step>
std::vector<const Resource*> reached(const Inventory& inventory, std::string_view from, Step step) {
  std::vector<const Resource*> found;
  std::set<std::string_view> seen;
  const auto add = [&](const Resource* r) {
    if (r && r->present && r->fmri != from && found.size() < kMost && seen.insert(r->fmri).second)
      found.push_back(r);
  };
  const Resource* start = inventory.find(from);
  if (!start) return found;
  step(*start, add);
  for (size_t i = 0; i < found.size(); ++i) step(*found[i], add);
  return found;
}

}  // namespace

std::vector<const Resource*> inside(const Inventory& inventory, std::string_view part) {
  return reached(inventory, part, [&](const Resource& r, const auto& add) {
    for (const Edge& edge : r.edges) {
      const Resource* to = inventory.find(edge.to);
      const bool behind = edge.relation == Relation::path && is_card(r) && to && is_card(*to);
      if (edge.relation == Relation::contains || behind) add(to);
    }
  });
}

const Resource* card_in(const Inventory& inventory, std::string_view slot) {
  const Resource* found = nullptr;
  const auto rank = [](const Resource& r) {
    return r.type == "hba" ? 3 : r.get("class_name").find("ridge") != std::string::npos ? 1 : 2;
  };
  for (const Resource* one : inside(inventory, slot))
    if ((one->type == "hba" || one->type == "pci") && (!found || rank(*one) > rank(*found)))
      found = one;
  return found;
}

std::vector<const Resource*> around(const Inventory& inventory, std::string_view part) {
  return reached(inventory, part, [&](const Resource& r, const auto& add) {
    for (const Resource* one : inventory.parents(r.fmri, Relation::contains)) add(one);
    if (!is_card(r)) return;
    for (const Resource* one : inventory.parents(r.fmri, Relation::path))
      if (is_card(*one)) add(one);
  });
}

std::vector<std::string> bays_behind(const Inventory& inventory, std::string_view part) {
  std::set<std::string> bays;
  const auto take = [&](const Resource& r) {
    if (r.type == "bay") bays.insert(r.fmri);
    if (r.type != "disk") return;
    for (const Resource* one : inventory.parents(r.fmri, Relation::contains))
      if (one->type == "bay" && one->present) bays.insert(one->fmri);
  };
  for (const Resource* one : reached(inventory, part, [&](const Resource&r, const auto&add) {
         if (r.type == "disk") return;
         for (const Edge& edge : r.edges)
           if (edge.relation == Relation::path || edge.relation == Relation::contains)
             add(inventory.find(edge.to));
       }))
    take(*one);
  return {bays.begin(), bays.end()};
}

}  // namespace fmd::scene
