#include "plugins/sdk/inventory_diff.h"

#include <functional>

#include "fmd/base/json.h"

namespace fmd::sdk {
namespace {

using nlohmann::json;

constexpr size_t kMostRemoved = 10'000;

// Firmware text may be invalid UTF-8.
size_t digest_of(const json& resource) {
  return std::hash<std::string>()(resource.dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace

bool InventoryDiff::differs(const std::string& fmri, const json& resource) const {
  const auto before = sent_.find(fmri);
  return before == sent_.end() || before->second != digest_of(resource);
}

bool InventoryDiff::send(const std::map<std::string, json>& now, bool complete,
                         const std::map<std::string, json>& for_good) {
  json changed = json::array(), gone = json::array();
  for (const auto& [fmri, digest] : sent_)
    if (!now.contains(fmri) && !for_good.contains(fmri)) {
      gone.push_back({{"fmri", fmri}, {"reason", "removed"}});
      removed_.insert(fmri);
    }
  for (const auto& [fmri, how] : for_good)
    if (!now.contains(fmri) && (complete || sent_.contains(fmri) || removed_.contains(fmri)))
      gone.push_back(how);
  std::erase_if(removed_, [&](const std::string& fmri) {
    return now.contains(fmri) || for_good.contains(fmri);
  });
  while (removed_.size() > kMostRemoved) removed_.erase(removed_.begin());
  std::erase_if(sent_, [&](const auto& entry) { return !now.contains(entry.first); });
  for (const auto& [fmri, resource] : now) {
    const size_t digest = digest_of(resource);
    const auto [before, is_new] = sent_.try_emplace(fmri, digest);
    if (complete || is_new || before->second != digest) changed.push_back(resource);
    before->second = digest;
  }
  if (!complete && changed.empty() && gone.empty()) return false;
  plugin_.send_inventory(std::move(changed), std::move(gone), complete);
  return true;
}

}  // namespace fmd::sdk
