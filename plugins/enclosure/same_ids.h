// SameIds: two shelves that bear one logical id (a vendor's default, a cloned board) are kept apart,
// and two processors of one shelf, which rightly bear one, are not. What tells them apart are their
// disks: in the same slot both processors of a shelf see the same disk. A shelf keeps the name by
// which it is known, also when another one of its id comes; once told apart they stay so. Pure.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plugins/enclosure/enclosure_scan.h"

namespace fmd::enclosure {

class SameIds {
 public:
  using Names = std::map<std::string, std::string>;  // processor's own id → its chassis'

  SameIds() = default;
  explicit SameIds(Names names) : names_(std::move(names)) {}
  const Names& names() const { return names_; }

  // Gives each of them its chassis' id (Enclosure::id), out of what it says itself (logical_id).
  void tell_apart(const std::vector<Enclosure*>& boxes);

 private:
  std::string name_of(const Enclosure& box, const std::vector<Enclosure*>& boxes) const;

  Names names_;
};

}  // namespace fmd::enclosure
