// PoolsNow: the current state of each pool and array: whether it is healthy, how many more disks it
// survives, and otherwise what is wrong and what is expected to happen. Pure.
#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/model/inventory.h"

namespace fmd {

struct PoolNow {
  std::string fmri, name, state, redundancy, scan;
  bool well = true, responds = true;
  std::optional<int> survives;
  std::vector<std::string> expected;
};

// A held finding, and what fmd will do if it still holds at the end of its hold.
struct HeldVerdict {
  std::string when;           // local time
  std::string newcomer = {};  // the disk now in the bay of one that is gone: "serial Z1Y0"; "" none
  bool brings_spare = false;
  bool takes_newcomer = false;
};

// A disk that is gone.
struct GoneDisk {
  int64_t seconds = 0;  // since then; 0 unknown
  bool in_bay = false;  // its bay reports that something is in it
};

// Facts about a pool member that the inventory does not have.
struct LeafView {
  std::function<std::string(std::string_view fmri)> name;  // "SLOT 03", where its disk is or was
  // Nothing if no finding about it is on hold.
  std::function<std::optional<HeldVerdict>(const Resource& leaf)> held;
  // Nothing if its disk is present or unknown.
  std::function<std::optional<GoneDisk>(const Resource& leaf)> gone = {};
};

std::vector<PoolNow> pools_now(const Inventory& inventory, const LeafView& view);
nlohmann::json to_json(const PoolNow& pool);

}  // namespace fmd
