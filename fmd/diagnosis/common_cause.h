// Common cause: the single part, if any, that explains the failures of several others. Pure.
//
// An ancestor of the accused part is a candidate if at least `count` of the parts below it are
// accused, and these are too many for chance: half of them, or, for a random choice among all
// comparable parts, a probability below 1 in 100 (hypergeometric). If the rule's proof is "both",
// half of them is required, and if others fail elsewhere, a result beyond chance as well. The
// lowest candidate wins. A higher one wins only if half of its other parts are accused as well. In
// addition, enough parts elsewhere must be well (the rule's `well`), apart from those that another
// candidate explains.
//
// A part that fails only on one of its paths (multipath) accuses the components of that path. If
// two controllers lead to the same disks, the one whose paths work is not accused. If only paths
// fail, chance is computed over paths.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fmd/diagnosis/crowd.h"
#include "fmd/diagnosis/topology.h"
#include "fmd/model/inventory.h"
#include "fmd/rules/rules.h"

namespace fmd {

// Part → the ways to it (`path` resources) that fail; none: the part itself does, on whatever way.
using Accused = std::map<std::string, std::set<std::string>>;

struct CommonCause {
  // FMRIs of those that explain it alike, with the very same parts below; none of them is above
  // another. Two, where two controllers lead to the same disks and nothing fails on one of its ways only.
  // Never empty.
  std::vector<std::string> lowest;
  std::vector<std::string> higher;        // above those, with the very same parts below
  size_t count = 0;                       // of the accused parts below
  std::vector<std::string> failing = {};  // sorted; filled only on request
  size_t below = 0;                       // number of parts below that are present or accused
  size_t elsewhere = 0, elsewhere_failing = 0;
};

// part: an accused one, whose ancestors are examined.
std::optional<CommonCause> common_cause(const Inventory& inventory, const Crowd& crowd,
                                        const Rule& rule, const std::string& part);

// The nearest ancestor with most accused parts below, but too few for a cause: at least
// `undecided`, or more than `count`, while enough parts elsewhere are well. Used when there is no
// cause: the parts may be at fault, or something that they share.
std::optional<CommonCause> common_doubt(const Inventory& inventory, const Crowd& crowd,
                                        const Rule& rule, const std::string& part);

// The failing parts of either result. The list may be long.
void name_failing(CommonCause& found, const Crowd& crowd);

// Number of their kinds, for a rule's `kinds`.
size_t kinds_among(const Inventory& inventory, const std::vector<std::string>& parts);

// Probability that k or more of n drawn parts are among the `bad` ones of `all`. Stops summing as
// soon as it exceeds `enough`.
double chance_of(size_t k, size_t n, size_t bad, size_t all, double enough = 1);

}  // namespace fmd
