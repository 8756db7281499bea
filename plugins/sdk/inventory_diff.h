// InventoryDiff: sends what has changed since the last time, and the whole when a connection is
// new. Single thread.
#pragma once
#include <map>
#include <string>

#include "fmd/base/json.h"
#include "plugins/sdk/plugin.h"

namespace fmd::sdk {

class InventoryDiff {
 public:
  explicit InventoryDiff(Plugin& plugin) : plugin_(plugin) {}
  // now: all resources there are, by FMRI, as in the protocol. What is missing is gone: "removed",
  // or as said in for_good (the protocol's `gone` entries, by FMRI), which a whole one repeats.
  // True: there was something to send.
  bool send(std::map<std::string, nlohmann::json> now, bool complete,
            const std::map<std::string, nlohmann::json>& for_good = {});

 private:
  Plugin& plugin_;
  std::map<std::string, nlohmann::json> sent_;
};

}  // namespace fmd::sdk
