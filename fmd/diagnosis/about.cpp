#include "fmd/diagnosis/about.h"

#include <algorithm>

namespace fmd {
namespace {

// A machine's power supplies may be reported by IPMI and by Redfish: two resources, one machine.
std::string first_told(const Inventory& inventory, const Resource& supplies) {
  std::string first = supplies.fmri;
  for (const Resource* machine : inventory.parents(supplies.fmri, Relation::contains))
    for (const Edge& edge : machine->edges) {
      const Resource* other = inventory.find(edge.to);
      if (other && other->type == supplies.type) first = std::min(first, other->fmri);
    }
  return first;
}

}  // namespace

// A finding about a path counts for its part, and accuses the components of that path.
About about(const Context& context, const Suspect& suspect) {
  About out{suspect.fru.empty() ? suspect.resource : suspect.fru, {}};
  const Resource* r = context.inventory.find(out.part);
  if (r && r->type == "power") out.part = first_told(context.inventory, *r);
  if (!r || (r->type != "path" && r->type != "multipath")) return out;
  out.ways = ways_of(context, out.part);
  for (const Edge& edge : r->edges)
    if (edge.relation == Relation::path) out.part = edge.to;
  return out;
}

std::set<std::string> ways_of(const Context& context, const std::string& resource) {
  const Resource* r = context.inventory.find(resource);
  if (!r) return {};
  if (r->type == "path") return {resource};
  if (r->type != "multipath") return {};
  std::set<std::string> out;
  for (const Edge& edge : r->edges)
    if (edge.relation == Relation::path)
      for (const std::string& leading : context.paths.to(edge.to)) {
        const Resource* way = context.inventory.find(leading);
        if (way && way->type == "path" && (!way->present || way->is("multipath_state", "failed")))
          out.insert(leading);
      }
  return out;
}

}  // namespace fmd
