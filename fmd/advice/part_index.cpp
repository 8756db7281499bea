#include "fmd/advice/part_index.h"

#include <algorithm>
#include <set>

#include "fmd/base/lower_case.h"
#include "fmd/model/part_name.h"

namespace fmd {
namespace {

// The names that commands accept for this part. Device names are left out, because they change between boots.
std::set<std::string> names_of(const Resource& r) {
  std::set<std::string> names;
  for (const char* property : kOwnNames)
    if (const std::string name = r.get(property); !name.empty()) names.insert(lower_case(name));
  const std::string name = lower_case(r.get("name"));
  if (r.type == "zfs-pool") names.insert("pool " + name);
  if (r.type == "md-array") names.insert("array " + name);
  if (r.type == "btrfs") names.insert("btrfs " + name);
  if (r.type == "plugin") names.insert("fmd-" + name);
  if (const std::string slot = r.get("slot"); r.type == "bay" && !slot.empty()) names.insert(slot);
  return names;
}

}  // namespace

PartIndex::PartIndex(const Inventory& inventory) {
  for (const auto& [fmri, r] : inventory.all()) {
    for (const std::string& name : names_of(r)) {
      auto& list = r.present ? names_[name].present : names_[name].gone;
      const auto alike = std::count_if(
          list.begin(), list.end(), [&](const Resource* known) { return known->type == r.type; });
      if (alike < 2) list.push_back(&r);
    }
    if (!r.present) continue;
    if (r.type == "psu") supplies_.push_back(&r);
  }
}

const Resource* PartIndex::only(std::string_view name) const {
  const auto at = names_.find(lower_case(name));
  if (at == names_.end()) return nullptr;
  const auto& list = at->second.present.empty() ? at->second.gone : at->second.present;
  if (list.size() == 1) return list.front();
  // The same preference as in Inventory::lookup.
  const auto is_exact = [&](const Resource* r) { return has_name(*r, name); };
  if (std::count_if(list.begin(), list.end(), is_exact) != 1) return nullptr;
  const Resource* exact = *std::find_if(list.begin(), list.end(), is_exact);
  return is_ambiguous(name, exact->type) ? nullptr : exact;  // there may be more of its type
}

bool PartIndex::is_ambiguous(std::string_view name, std::string_view type) const {
  const auto at = names_.find(lower_case(name));
  return at != names_.end() &&
         std::count_if(at->second.present.begin(), at->second.present.end(),
                       [&](const Resource* r) { return r->type == type; }) > 1;
}

bool PartIndex::is_ambiguous(std::string_view name) const {
  const auto at = names_.find(lower_case(name));
  return at != names_.end() && at->second.present.size() > 1;
}

}  // namespace fmd
