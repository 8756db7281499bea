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

// Facts about a pool member that the inventory does not have.
struct LeafView {
  std::function<std::string(std::string_view fmri)> name;  // "SLOT 03", where its disk is or was
  // When a finding about it is judged, as local time; "" nothing is held.
  std::function<std::string(std::string_view fmri)> decided_by;
  // The disk that has been put into the bay of one that is gone, as "serial Z1Y0"; "" none.
  std::function<std::string(std::string_view fmri)> newcomer;
  bool dry_run = false;
};

std::vector<PoolNow> pools_now(const Inventory& inventory, const LeafView& view);
nlohmann::json to_json(const PoolNow& pool);

}  // namespace fmd
