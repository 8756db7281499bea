// The rules and event classes that fmd ships, from the tree.
#pragma once
#include <memory>
#include <string>

#include "fmd/model/event_schema.h"
#include "fmd/rules/rules.h"

namespace fmd::bench {

EventSchema shipped_schema();
std::shared_ptr<const RuleSet> shipped_rules(const EventSchema& schema,
                                             const std::string& but = "");

}  // namespace fmd::bench
