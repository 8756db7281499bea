// Scenario: one of the corpus (tests/scenarios/): what happens on which machine, and the truth about it: what is
// broken, what must, may and must not be done, and by when. Parts are named by the roles that its generator gives.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "stage.h"

namespace fmd::score {

struct Truth {                    // a part that is broken, and is to be named
  std::string role;               // each part that has it
  std::set<std::string> classes;  // of the fault; any of them is right
  int64_t within = 0;             // of its beginning to fail; ns
};

enum class Deed { retire, spare, light };  // out of service, a spare in, its bay's fault light
inline constexpr Deed kDeeds[] = {Deed::retire, Deed::spare, Deed::light};
const char* deed_name(Deed deed);

struct Wish {  // of what is done to the parts that have a role
  Deed deed;
  std::string role;
  std::optional<int64_t> time = {};  // must: within; must not: before, or never. ns
};

// What else goes on, whatever is broken.
struct Meanwhile {
  int64_t from_low = 0, from_high = 0;  // after the beginning; ns
  std::set<Teller> silent;              // these tell nothing for a while
  int64_t lasts_low = 0, lasts_high = 0;
  int64_t clock_low = 0, clock_high = 0;  // the wall clock is stepped by so much, to and fro
  int noise_low = 0, noise_high = 0;      // disks that are well have an error
};

struct Scenario {
  std::string label, family, file;
  int line = 0;
  const ShapeSpec* shape = nullptr;
  const Generator* generator = nullptr;
  std::vector<Knob> knobs;
  std::vector<Truth> truths;
  std::vector<Wish> must, may, must_not;  // what is neither in must nor in may is not to be done
  bool quiet = false;                     // nobody is to be told of anything
  Meanwhile meanwhile;
  std::string wrong;  // why fmd gets it wrong today; counted all the same, and no limit of CI's
};

}  // namespace fmd::score
