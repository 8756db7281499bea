// SameIds: distinguishes two shelves with the same logical id (a vendor's default, a cloned board)
// from two processors of one shelf, which share it legitimately. The disks decide: both processors
// of a shelf see the same disk in the same slot. A shelf keeps its name when another one with its
// id appears; once distinguished, they stay so. Pure.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plugins/enclosure/enclosure_scan.h"

namespace fmd::enclosure {

class SameIds {
 public:
  using Names = std::map<std::string, std::string>;  // processor's own id → chassis id

  SameIds() = default;
  explicit SameIds(Names names) : names_(std::move(names)) {}
  const Names& names() const { return names_; }

  // Sets the chassis id (Enclosure::id) of each, from its reported logical_id.
  void tell_apart(const std::vector<Enclosure*>& boxes);

 private:
  std::string name_of(const Enclosure& box, const std::vector<Enclosure*>& boxes) const;

  Names names_;
};

}  // namespace fmd::enclosure
