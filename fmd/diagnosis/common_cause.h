// Common cause: the single part, if any, that explains the failures of several others: sensors of
// one enclosure, modules of one memory controller. (Those of disks are judged by the odds: veto.h.)
//
// An ancestor of the accused part is a candidate if at least `count` of the parts below it are
// accused, and these are too many for chance: half of them (the rule's `share`), or, for a random
// choice among all comparable parts, a probability below 1 in 100 (hypergeometric). If the rule's
// proof is "both", half of them is required, and if others fail elsewhere, a result beyond chance as
// well. The lowest candidate wins. A higher one wins only if half of its other parts are accused as
// well. Pure.
#pragma once
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fmd/diagnosis/topology.h"
#include "fmd/model/inventory.h"
#include "fmd/rules/rules.h"

namespace fmd {

using Accused = std::set<std::string>;  // FMRIs of parts

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
                                        const std::string& part);

// Number of their kinds, for a rule's `kinds`.
size_t kinds_among(const Inventory& inventory, const std::vector<std::string>& parts);

// Probability that k or more of n drawn parts are among the `bad` ones of `all`.
double chance_of(size_t k, size_t n, size_t bad, size_t all);

}  // namespace fmd
