// About: the part that a finding counts for when findings are compared, and the paths to that part
// that it accuses. Pure; part of Engine.
#pragma once
#include <set>
#include <string>

#include "fmd/diagnosis/context.h"
#include "fmd/model/case.h"

namespace fmd {

struct About {
  std::string part;
  std::set<std::string> ways;  // `path` resources; none: the part itself
};

About about(const Context& context, const Suspect& suspect);

// Of a path itself; of a multipath map those paths to its disk that are not well, none where all are.
std::set<std::string> ways_of(const Context& context, const std::string& resource);

}  // namespace fmd
