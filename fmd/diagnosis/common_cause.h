// Common cause: which one part, if any, explains that several others fail. Pure.
//
// Of what the accused part hangs on, an ancestor is a candidate when at least `count` of the parts
// below it are accused and that many are no chance: half of them, or, as all parts that hang on
// something are drawn, less likely than 1 in 100 (hypergeometric). Where the rule's proof is "both" it takes half
// of them, and no chance where others fail elsewhere, too. The lowest candidate wins; a
// higher one only if of what it has besides half is accused as well. And of the parts elsewhere
// enough are well (the rule's `well`), leaving out what another candidate explains there.
//
// A part that fails on one of its ways only (multipath) speaks against what lies on that way: of two
// controllers that lead to the same disks the one whose ways are well is not accused. Where nothing but ways
// fails, chance is reckoned by ways.
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
