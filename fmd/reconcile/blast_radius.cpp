#include "fmd/reconcile/blast_radius.h"

#include <set>

namespace fmd {

uint64_t others_retired(const Interventions& interventions, std::string_view group,
                        const std::string& part, int64_t since_ns, const UnitOf& unit_of) {
  std::set<std::string> others;
  for (const Intervention* i : interventions.retired_in(group))
    if (i->since.steady_ns >= since_ns) others.insert(unit_of(i->part));
  if (!group.empty())
    for (const auto& [taken, entry] : interventions.all_taken_over())
      if (entry.group == group && entry.since_ns >= since_ns) others.insert(unit_of(taken));
  others.erase(unit_of(part));
  return others.size();
}

std::string unit_of(const Inventory& inventory, const std::string& part) {
  const Resource* r = inventory.find(part);
  const std::string unit = r ? r->get("unit") : "";
  return unit.empty() ? part : unit;
}

}  // namespace fmd
