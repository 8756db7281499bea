// InventoryDiff: sends the resources that have changed since the last time, and all of them on a
// new connection. It keeps only a digest of what was sent: the resources of 100 disks would take
// two megabytes. Single thread.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "plugins/sdk/plugin.h"

namespace fmd::sdk {

class InventoryDiff {
 public:
  explicit InventoryDiff(Plugin& plugin) : plugin_(plugin) {}
  // now: all resources there are, by FMRI, as in the protocol. What is missing is gone: "removed",
  // or as said in for_good (the protocol's `gone` entries, by FMRI), which a whole one repeats.
  // True: there was something to send.
  bool send(const std::map<std::string, nlohmann::json>& now, bool complete,
            const std::map<std::string, nlohmann::json>& for_good = {});
  bool has(const std::string& fmri) const { return sent_.contains(fmri); }
  // From what was sent last; so does what never was.
  bool differs(const std::string& fmri, const nlohmann::json& resource) const;

 private:
  Plugin& plugin_;
  std::map<std::string, size_t> sent_;
};

}  // namespace fmd::sdk
