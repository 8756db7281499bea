// PartIndex: look-ups that would otherwise walk the whole inventory for each case, made once for
// many cases. It points into the inventory and is valid until the inventory changes. Pure.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/model/inventory.h"

namespace fmd {

class PartIndex {
 public:
  explicit PartIndex(const Inventory& inventory);

  // The part that commands find by this name (Inventory::lookup), if it is the only one: of those present, or if there are
  // none, of those gone. Otherwise nullptr.
  const Resource* only(std::string_view name) const;
  bool is_ambiguous(std::string_view name) const;  // several parts that are present have it
  // Several of this type: a fan and its sensor may share a name without being mixed up.
  bool is_ambiguous(std::string_view name, std::string_view type) const;
  const std::vector<const Resource*>& supplies() const { return supplies_; }

 private:
  struct Named {
    std::vector<const Resource*> present, gone;  // at most two of each type
  };
  std::map<std::string, Named, std::less<>> names_;
  std::vector<const Resource*> supplies_;
};

// The index of an inventory as it is now: made again only when the inventory has changed. Single thread.
class CurrentPartIndex {
 public:
  // The index is valid until the inventory changes. Always the same inventory.
  const PartIndex& of(const Inventory& inventory) {
    if (!index_ || generation_ != inventory.generation()) index_.emplace(inventory);
    generation_ = inventory.generation();
    return *index_;
  }

 private:
  std::optional<PartIndex> index_;
  uint64_t generation_ = 0;
};

}  // namespace fmd
