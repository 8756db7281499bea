// Places: disks and bays as they were when it was last asked what they are good for. A temperature that
// changes is no reason to look at each part that waits for a disk. Pure.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>

#include "fmd/model/inventory.h"

namespace fmd {

class Places {
 public:
  // Whether anything but what is measured differs from the last time, or it is the first time.
  bool changed(const Resource& r);
  void forget(const std::string& fmri) { known_.erase(fmri); }

 private:
  std::unordered_map<std::string, size_t> known_;  // FMRI → of all but what is measured
};

}  // namespace fmd
