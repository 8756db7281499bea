// Families: what can go wrong with a host, told as its plugins tell it, and the truth about it. Timing,
// order and number are drawn from the play's chance.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "play.h"

namespace fmd::score {

struct Truth {                    // one thing that is broken
  std::set<std::string> parts;    // FMRIs; whoever is told of any of them looks at the right place
  std::set<std::string> classes;  // of the fault; any of them is right
};

struct Scenario {
  std::vector<Truth> broken;     // none: nothing is, and nobody is to be accused
  std::set<std::string> may_go;  // FMRIs of what may be retired, or have a spare brought in
  int64_t onset = 0, until = 0;  // steady
};

struct Family {
  const char* name;
  bool (*fits)(const Host& host);
  Scenario (*stage)(Play& play);
};
const std::vector<Family>& families();

}  // namespace fmd::score
