#include "ui/cli/about_part.h"

#include <algorithm>

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

std::string shown_name(const Inventory& inventory, const std::string& given) {
  const Resource* r = inventory.find(given);
  if (!r) return clean(given);
  if (r->type != "bay") return part_words(inventory, given);
  const std::string label = r->get("label");
  if (label.empty()) return clean(given);
  if (inventory.lookup(label).size() == 1) return clean(label);
  // "SLOT 03 of Shelf A": another shelf also has one.
  for (const Resource* box : inventory.parents(given, Relation::contains))
    for (const char* property : {"label", "id"})
      if (const std::string name = box->get(property);
          !name.empty() && inventory.lookup(name).size() == 1)
        return clean(label + " of " + name);
  return clean(given);
}

// A name that a person typed needs no inventory.
std::string shown_name(Client& client, const std::string& given) {
  if (given.find("://") == given.npos) return clean(given);
  const auto inventory = fetch_inventory(client);
  return inventory ? shown_name(*inventory, given) : clean(given);
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
