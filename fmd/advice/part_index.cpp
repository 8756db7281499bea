#include "fmd/advice/part_index.h"

namespace fmd {

PartIndex::PartIndex(const Inventory& inventory) {
  for (const auto& [fmri, r] : inventory.all()) {
    if (!r.present) continue;
    if (r.type == "filesystem") file_systems_.push_back(&r);
    if (r.type == "psu") supplies_.push_back(&r);
    if (std::string label = r.get("label"); !label.empty()) ++labels_[std::move(label)];
  }
}

bool PartIndex::is_unique(std::string_view label) const {
  const auto at = labels_.find(label);
  return at != labels_.end() && at->second == 1;
}

}  // namespace fmd
