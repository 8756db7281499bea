// Shared by tests of rules and of diagnosis: event classes and rules from a text.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "fmd/model/event_schema.h"
#include "fmd/rules/rules.h"

namespace fmd::test {

std::string all_text(const std::vector<Error>& errors);

// The event classes and rules that most tests use; see rules_rig.cpp.
extern const char* const kSchema;
extern const char* const kRules;

EventSchema schema_of(const std::string& text);
std::shared_ptr<const RuleSet> rules_of(const std::string& text, const EventSchema& schema);

}  // namespace fmd::test
