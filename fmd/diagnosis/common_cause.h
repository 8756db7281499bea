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
  std::vector<std::string> higher;  // above those, with the very same parts below
  size_t count = 0;                 // of the accused parts below
  std::vector<std::string> failing =
      {};            // those, sorted: only where somebody has asked for their names
  size_t below = 0;  // all parts below that are there or accused
  size_t elsewhere = 0, elsewhere_failing = 0;
};

// part: one of those accused, whose ancestors are looked at.
std::optional<CommonCause> common_cause(const Inventory& inventory, const Crowd& crowd,
                                        const Rule& rule, const std::string& part);

// The nearest ancestor below which the most parts are accused, though too few to say that it is that: `undecided` of
// them, or more than `count`, and elsewhere enough are well. Asked where there is no cause: then it may be the parts, or what they share.
std::optional<CommonCause> common_doubt(const Inventory& inventory, const Crowd& crowd,
                                        const Rule& rule, const std::string& part);

// Who fails, of what either has found in that crowd. They may be very many.
void name_failing(CommonCause& found, const Crowd& crowd);

// Of how many kinds they are, as a rule's `kinds` asks.
size_t kinds_among(const Inventory& inventory, const std::vector<std::string>& parts);

// That of n drawn from all, of which bad are, k or more are bad. It is not reckoned further than to enough.
double chance_of(size_t k, size_t n, size_t bad, size_t all, double enough = 1);

}  // namespace fmd
