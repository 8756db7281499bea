// Work: what is to be mapped: the bays of a chassis, one after the other, and what was said of them so far. Pure.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fmd/base/result.h"
#include "fmd/model/inventory.h"
#include "ui/mapping/chassis_draft.h"

namespace fmd::mapping {

struct ToMap {
  const Resource* bay;
  std::string member;  // of a host's
};

// The inventory is to outlive it.
struct Work {
  ChassisDraft draft;
  std::vector<ToMap> bays;
};
// chassis: FMRI, id or label; "" the only one that has bays.
Result<Work> work_of(const Inventory& inventory, const std::string& chassis);
// The host's own box with these enclosures, which are its backplanes.
Result<Work> host_with(const Inventory& inventory, const std::vector<std::string>& enclosures);

// One side of a box, evenly divided: a 19" box, or with its depth when it is seen from above.
bool stands_upright(const std::string& view);  // front and rear: height counts in rack units
constexpr int kUsualUnits = 2, kUsualDepthMm = 700;
ChassisDraft::Side side_of(const std::string& view, int rows, int columns, int units_or_mm);

using Place = std::optional<std::pair<int, int>>;  // row, column, from 1

// By bay: going back changes them.
struct Answers {
  std::map<size_t, ChassisDraft::Answer> by_bay;

  bool taken(const std::string& side, const std::pair<int, int>& at) const;
  Place free_place(const std::string& name, const ChassisDraft::Side& side) const;
  std::optional<size_t> with_label(const std::string& label) const;  // which bay
};

// "2026-11-21", here
std::string today();

}  // namespace fmd::mapping
