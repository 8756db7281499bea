// PartIndex: what would need a walk over the whole inventory for each case: made once for many. It points
// into the inventory and is good until that changes. Pure.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/model/inventory.h"

namespace fmd {

class PartIndex {
 public:
  explicit PartIndex(const Inventory& inventory);

  // Commands take the label for one part only.
  bool is_unique(std::string_view label) const;
  const std::vector<const Resource*>& file_systems() const { return file_systems_; }
  const std::vector<const Resource*>& supplies() const { return supplies_; }

 private:
  std::map<std::string, int, std::less<>> labels_;
  std::vector<const Resource*> file_systems_, supplies_;
};

}  // namespace fmd
