#include "plugins/sdk/inventory_diff.h"

namespace fmd::sdk {

using nlohmann::json;

bool InventoryDiff::send(std::map<std::string, json> now, bool complete,
                         const std::map<std::string, json>& for_good) {
  json changed = json::array(), gone = json::array();
  for (const auto& [fmri, resource] : now) {
    const auto before = sent_.find(fmri);
    if (complete || before == sent_.end() || before->second != resource)
      changed.push_back(resource);
  }
  for (const auto& [fmri, resource] : sent_)
    if (!now.contains(fmri) && !for_good.contains(fmri))
      gone.push_back({{"fmri", fmri}, {"reason", "removed"}});
  for (const auto& [fmri, how] : for_good)
    if (!now.contains(fmri) && (complete || sent_.contains(fmri))) gone.push_back(how);
  sent_ = std::move(now);
  if (!complete && changed.empty() && gone.empty()) return false;
  plugin_.send_inventory(std::move(changed), std::move(gone), complete);
  return true;
}

}  // namespace fmd::sdk
