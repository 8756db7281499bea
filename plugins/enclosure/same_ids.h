// SameIds: two shelves that bear one logical id (a vendor's default, a cloned board) are kept apart,
// and two processors of one shelf, which rightly bear one, are not. What tells them apart are their
// disks: in the same slot both processors of a shelf see the same disk. Once told apart they stay so
// while the plugin runs. Pure.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "plugins/enclosure/enclosure_scan.h"

namespace fmd::enclosure {

class SameIds {
 public:
  // Gives each of them its chassis' id (Enclosure::id), out of what it says itself (logical_id).
  void tell_apart(const std::vector<Enclosure*>& boxes);

 private:
  std::map<std::string, std::string> apart_;  // device's own id → the chassis'
};

}  // namespace fmd::enclosure
