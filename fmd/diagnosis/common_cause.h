// Common cause: the single part, if any, that explains the failures of several others: sensors of
// one enclosure, modules of one memory channel. (Those of disks are judged by Blame: veto.h.)
//
// An ancestor of the accused part is a candidate if several parts below it are accused, of the rule's
// `kinds`, and at least its `share` of those below. It is accused if the odds of one cause
// (blame/odds.h), against each part by itself, are at least 20 to 1; the one with the best odds wins. Pure.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fmd/diagnosis/topology.h"
#include "fmd/model/inventory.h"
#include "fmd/rules/rules.h"

namespace fmd {

using Accused = std::map<std::string, int64_t>;  // FMRI of a part → first finding, steady

struct CommonCause {
  // FMRIs of those with the very same parts below; none of them is above another. Never empty.
  std::vector<std::string> lowest;
  std::vector<std::string> higher;        // above those, with the very same parts below
  std::vector<std::string> failing = {};  // accused parts below, sorted
  size_t below = 0;                       // number of parts below that are present or accused
  size_t elsewhere = 0, elsewhere_failing = 0;
};

// part: an accused one, whose ancestors are examined. The time grows with the parts that the rule
// compares, so it is no search for thousands of parts that fail at once.
std::optional<CommonCause> common_cause(const Inventory& inventory, const Topology& topology,
                                        const Rule& rule, const Accused& accused,
                                        const std::string& part, int64_t now_ns);

}  // namespace fmd
