#include "ui/cli/about_part.h"

#include <algorithm>

#include "ui/cli/daemon.h"
#include "ui/cli/layout.h"

namespace fmd::cli {

std::set<std::string> names_of_part(const Inventory& inventory, const std::string& part) {
  std::set<std::string> names;
  for (const Resource* named : inventory.lookup(part)) {
    names.insert(named->fmri);
    names.insert(disk_of(inventory, named->fmri));
    for (const Edge& edge : named->edges)
      if (edge.relation == Relation::contains) names.insert(edge.to);
  }
  for (const std::string& name : std::set<std::string>(names))
    for (const Resource* vdev : inventory.parents(name, Relation::redundancy))
      names.insert(vdev->fmri);
  return names;
}

bool is_about(const Suspect& s, const std::set<std::string>& names) {
  for (const std::string* part : {&s.resource, &s.asru, &s.fru, &s.bay})
    if (names.contains(*part) || names.contains(part->substr(0, part->find("/vdev=")))) return true;
  return false;
}

bool is_about(const Case& c, const std::set<std::string>& names) {
  return std::any_of(c.suspects.begin(), c.suspects.end(),
                     [&](const Suspect& s) { return is_about(s, names); });
}

}  // namespace fmd::cli
