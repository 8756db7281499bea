// The state of fmd at one moment, from which the tables are built. Pure data.
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
  std::map<std::string, Case, std::less<>> cases;  // open cases, by uuid
  ui::AdviceByCase advice;                         // fmd's advice about them
  std::vector<PluginState> plugins;
  std::string version, host;
  // When fmd last confirmed this state. 0: never.
  int64_t wall_ns = 0, steady_ns = 0;
  bool fresh = false;  // fmd answers; else this is its last known state
};

}  // namespace fmd::snmp
