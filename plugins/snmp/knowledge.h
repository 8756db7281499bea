// What fmd knows at one moment, as the tables are made from it. Pure data.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "ui/client/advice.h"

namespace fmd::snmp {

struct PluginState {  // as ListPlugins reports it
  std::string name, version, state, reason;
};

struct Knowledge {
  Inventory inventory;
  std::map<std::string, Case, std::less<>> cases;  // open ones, by uuid
  ui::AdviceByCase advice;                         // what fmd says about them
  std::vector<PluginState> plugins;
  std::string version, host;
  // When fmd said last that all this is so. 0: never.
  int64_t wall_ns = 0, steady_ns = 0;
  bool fresh = false;  // fmd answers; else all of it is what it said last
};

}  // namespace fmd::snmp
