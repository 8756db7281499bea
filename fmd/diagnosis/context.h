// Context: shared by the parts of the engine: the rules, the inventory, and, for one call, its time
// and the resources to evaluate again.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fmd/base/moment.h"
#include "fmd/diagnosis/path_memory.h"
#include "fmd/model/bay_history.h"
#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "fmd/rules/rules.h"

namespace fmd {

struct Context {
  std::shared_ptr<const RuleSet> rules;
  Inventory inventory;
  const BayHistory* bays = nullptr;  // where disks sat before; nullptr: not known
  PathMemory paths;                  // what led to disks last
  Moment now;                        // of the call under way or the last one
  std::set<std::string> new_here;    // resources that this call is the first to tell of
  std::vector<std::string> recheck;  // resources whose conditions must be evaluated again

  // The suspect's parts, and the parts above them.
  std::vector<std::string> around(const Suspect& suspect) const;
  // A part has become, or ceased to be, a suspect of an open case. Rules with unless_open depend on the open cases
  // about the same ASRU or FRU, rules with unless_elsewhere on those of the whole machine.
  void look_again(const Suspect& suspect);
};

}  // namespace fmd
