// InventoryDiff: sends what has changed since the last time, and the whole when a connection is
// new. Single thread.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "plugins/sdk/plugin.h"

namespace fmd::sdk {

class InventoryDiff {
 public:
  explicit InventoryDiff(Plugin& plugin) : plugin_(plugin) {}
  // now: all resources there are, by FMRI, as in the protocol. What is missing is gone ("removed").
  void send(std::map<std::string, nlohmann::json> now, bool complete);

 private:
  Plugin& plugin_;
  std::map<std::string, nlohmann::json> sent_;
};

}  // namespace fmd::sdk
