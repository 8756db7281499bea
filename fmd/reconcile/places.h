// Places: disks and bays as of the last look at their use as replacements. A change of temperature,
// for example, is no reason to plan again for each part that waits for a disk. Pure.
#pragma once
#include <cstddef>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "fmd/model/inventory.h"

namespace fmd {

class Places {
 public:
  // True at first, and when anything except readings has changed.
  bool changed(const Resource& r);
  void forget(std::string_view fmri) { known_.erase(key_of(fmri)); }

 private:
  static size_t key_of(std::string_view fmri) { return std::hash<std::string_view>{}(fmri); }

  // FMRI hash → hash of all properties except readings. A collision only costs an extra look.
  std::unordered_map<size_t, size_t> known_;
};

}  // namespace fmd
