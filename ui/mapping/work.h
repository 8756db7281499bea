// Work: the bays of a chassis to be mapped one after the other, and the answers so far. Pure.
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
  std::string member;  // backplane of a host
};

// The inventory must outlive it.
struct Work {
  ChassisDraft draft;
  std::vector<ToMap> bays;
};
// chassis: FMRI, id or label; "": the only one with bays.
Result<Work> work_of(const Inventory& inventory, const std::string& chassis);
// The host with these enclosures as its backplanes.
Result<Work> host_with(const Inventory& inventory, const std::vector<std::string>& enclosures);

// One side, divided evenly. Its size is that of a 19" chassis, with the depth if seen from above.
bool stands_upright(const std::string& view);  // front and rear, whose height is in rack units
constexpr int kUsualUnits = 2, kUsualDepthMm = 700;
ChassisDraft::Side side_of(const std::string& view, int rows, int columns, int units_or_mm);

using Place = std::optional<std::pair<int, int>>;  // row, column, from 1

// By index of the bay; an answer changes when the user goes back.
struct Answers {
  std::map<size_t, ChassisDraft::Answer> by_bay;

  bool taken(const std::string& side, const std::pair<int, int>& at) const;
  Place free_place(const std::string& name, const ChassisDraft::Side& side) const;
  std::optional<size_t> with_label(const std::string& label) const;  // the index of a bay
};

// "2026-11-21", local time
std::string today();

}  // namespace fmd::mapping
