#include "fmd/reconcile/blast_radius.h"

#include <algorithm>

namespace fmd {

uint64_t others_retired(const Interventions& interventions, std::string_view group,
                        std::string_view part, int64_t since_ns) {
  const auto retired = interventions.retired_in(group);
  return static_cast<uint64_t>(std::count_if(
      retired.begin(), retired.end(),
      [&](const Intervention* i) { return i->part != part && i->since.steady_ns >= since_ns; }));
}

}  // namespace fmd
