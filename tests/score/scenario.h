// Scenario: one of tests/scenarios/: events on a machine and the truth: broken parts, and which
// actions must, may and must not happen, and when. Parts are named by their generator's roles.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "stage.h"

namespace fmd::score {

struct Truth {                    // a broken part that must be named
  std::string role;               // all parts with this role
  std::set<std::string> classes;  // fault classes; any of them is right
  int64_t within = 0;             // after it begins to fail; ns
};

enum class Deed { retire, spare, light };  // light: the bay's fault LED
inline constexpr Deed kDeeds[] = {Deed::retire, Deed::spare, Deed::light};
const char* deed_name(Deed deed);

struct Wish {  // an action on the parts with a role
  Deed deed;
  std::string role;
  std::optional<int64_t> time = {};  // must: within; must not: before, or never if unset. ns
};

// Disturbances beside the fault.
struct Meanwhile {
  int64_t from_low = 0, from_high = 0;  // after the beginning; ns
  std::set<Teller> silent;              // plugins that report nothing for a while
  int64_t lasts_low = 0, lasts_high = 0;
  int64_t clock_low = 0, clock_high = 0;  // step of the wall clock, forwards or backwards
  int noise_low = 0, noise_high = 0;      // healthy disks with an error
};

struct Scenario {
  std::string label, family, file;
  int line = 0;
  const ShapeSpec* shape = nullptr;
  const Generator* generator = nullptr;
  std::vector<Knob> knobs;
  std::vector<Truth> truths;
  std::vector<Wish> must, may, must_not;  // actions in neither must nor may must not happen
  bool quiet = false;                     // no message may be sent
  Meanwhile meanwhile;
  std::string wrong;  // why fmd currently gets it wrong; counted, but not in CI's limits
};

}  // namespace fmd::score
