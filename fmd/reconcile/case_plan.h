// CasePlan: what one case wishes for right now, compared with what the inventory observes. Pure: it
// decides, the Reconciler keeps order (one flight per resource, back-off, dry run, timeline).
//
// For a faulty suspect:       retire(first) → spare → out-of-service(then) → replace (when swapped)
// ; LED on For a repaired one:         restore → spare out ; LED off A resolved case still owes:
// LED off, spare out.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "fmd/reconcile/reconciler.h"

namespace fmd {

struct Step {
  enum class Kind {
    satisfied,  // observed is as wished: record the action as `state`, nothing to send
    blocked,    // cannot or must not be done now: record `state` ("waiting", "refused") with the
                // reason
    command,    // send it
  };
  Kind kind = Kind::satisfied;
  std::string action;   // name in Case::actions
  std::string state;    // satisfied, blocked: the state to record
  std::string detail;   // for people
  std::string command;  // "retire", ...
  std::string resource, args;
  std::string text;  // what it does, for the timeline and a dry run: "take … out of service"
  std::string done_state = "done";  // state recorded when the command is done
  bool quiet = false;               // recorded without a line on the timeline
};

// How many parts of `group` other cases have retired and not given back since from_ns.
uint64_t retired_in_group(const Engine& engine, std::string_view group,
                          std::string_view except_uuid, int64_t from_ns);

std::vector<Step> plan_case(const Case& c, const Engine& engine, const ActionConfig& config,
                            int64_t now_ns);

// The bay that holds the suspect's FRU now, else the one where it was last known; "" unknown.
std::string bay_of(const Suspect& suspect, const Inventory& inventory);

}  // namespace fmd
