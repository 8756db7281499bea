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
  // Whether anything but what is measured differs from the last time, or it is the first time.
  bool changed(const Resource& r);
  void forget(std::string_view fmri) { known_.erase(key_of(fmri)); }

 private:
  static size_t key_of(std::string_view fmri) { return std::hash<std::string_view>{}(fmri); }

  // By the hash of the FMRI that of all but what is measured: of two of the same the one is looked at too often.
  std::unordered_map<size_t, size_t> known_;
};

}  // namespace fmd
