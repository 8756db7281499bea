#include "fmd/advice/part_index.h"

#include <algorithm>
#include <set>

namespace fmd {
namespace {

std::string to_lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

// What commands take for it, apart from device names, which come and go.
std::set<std::string> names_of(const Resource& r) {
  std::set<std::string> names;
  for (const std::string_view property : {"label", "name", "serial"})
    if (const std::string name = r.get(property); !name.empty()) names.insert(to_lower(name));
  const std::string name = to_lower(r.get("name"));
  if (r.type == "zfs-pool") names.insert("pool " + name);
  if (r.type == "md-array") names.insert("array " + name);
  if (r.type == "plugin") names.insert("fmd-" + name);
  if (const std::string slot = r.get("slot"); r.type == "bay" && !slot.empty()) names.insert(slot);
  return names;
}

}  // namespace

PartIndex::PartIndex(const Inventory& inventory) {
  for (const auto& [fmri, r] : inventory.all()) {
    if (!r.present) continue;
    if (r.type == "filesystem") file_systems_.push_back(&r);
    if (r.type == "psu") supplies_.push_back(&r);
    for (const std::string& name : names_of(r)) ++names_[name];
  }
}

bool PartIndex::is_unique(std::string_view name) const {
  const auto at = names_.find(to_lower(name));
  return at != names_.end() && at->second == 1;
}

}  // namespace fmd
