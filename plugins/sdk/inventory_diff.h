// InventoryDiff: sends the resources that have changed since the last inventory, and all of them on
// a new connection. It keeps only a digest of each: the resources of 100 disks would take two
// megabytes. Single thread.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "plugins/sdk/plugin.h"

namespace fmd::sdk {

class InventoryDiff {
 public:
  explicit InventoryDiff(Plugin& plugin) : plugin_(plugin) {}
  // now: all present resources, by FMRI, as in the protocol. Missing ones are gone: "removed", or
  // as in for_good (the protocol's `gone` entries, by FMRI), which a complete inventory repeats.
  // Returns false if there was nothing to send.
  bool send(const std::map<std::string, nlohmann::json>& now, bool complete,
            const std::map<std::string, nlohmann::json>& for_good = {});
  bool has(const std::string& fmri) const { return sent_.contains(fmri); }
  // From what was sent last; true also for a resource that was never sent.
  bool differs(const std::string& fmri, const nlohmann::json& resource) const;

 private:
  Plugin& plugin_;
  std::map<std::string, size_t> sent_;
  // Those sent as "removed": a later send may find that they are gone for good.
  std::set<std::string> removed_;
};

}  // namespace fmd::sdk
