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

// For a path: itself. For a multipath map: the failing paths to its disk; empty if all work.
std::set<std::string> ways_of(const Context& context, const std::string& resource);

}  // namespace fmd
