// Finds the accused parts and their common cause by a walk over everything, to check the indexes
// (accusations.h, crowd.h).
#pragma once
#include <optional>
#include <string>

#include "fmd/diagnosis/accusations.h"
#include "fmd/diagnosis/common_cause.h"
#include "fmd/diagnosis/recurrence.h"

namespace fmd::test {

std::optional<CommonCause> plain_cause(const Inventory& inventory, const Topology& topology,
                                       const Rule& rule, const std::string& part,
                                       const Accused& accused);
std::optional<CommonCause> plain_doubt(const Inventory& inventory, const Topology& topology,
                                       const Rule& rule, const std::string& part,
                                       const Accused& accused);
Accused plain_accused(const Context& context, const CaseBook& book, const HoldBank& holds,
                      const SerdBank& serds, const Rule& common, int64_t since,
                      Accusations::With with);

}  // namespace fmd::test
