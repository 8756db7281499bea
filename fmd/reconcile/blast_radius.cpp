#include "fmd/reconcile/blast_radius.h"

#include <set>

namespace fmd {

uint64_t others_retired(const Interventions& interventions, std::string_view group,
                        std::string_view part, int64_t since_ns) {
  std::set<std::string_view> others;
  for (const Intervention* i : interventions.retired_in(group))
    if (i->since.steady_ns >= since_ns) others.insert(i->part);
  if (!group.empty())
    for (const auto& [taken, entry] : interventions.all_taken_over())
      if (entry.group == group && entry.since_ns >= since_ns) others.insert(taken);
  others.erase(part);
  return others.size();
}

}  // namespace fmd
