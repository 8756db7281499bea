#include "fmd/diagnosis/topology.h"

#include <algorithm>
#include <set>

namespace fmd {

std::vector<std::string> Topology::next(std::string_view from, bool upwards) const {
  std::vector<std::string> out;
  const Resource* r = upwards ? nullptr : inventory_.find(from);
  for (const Relation relation : along_) {
    if (relation == Relation::path && upwards) {
      const std::vector<std::string>& leading = paths_.to(from);
      out.insert(out.end(), leading.begin(), leading.end());
    } else if (relation == Relation::path) {
      const std::set<std::string>& led = paths_.from(from);
      out.insert(out.end(), led.begin(), led.end());
    } else if (upwards) {
      for (const Resource* parent : inventory_.parents(from, relation)) out.push_back(parent->fmri);
    } else if (r) {
      for (const Edge& edge : r->edges)
        if (edge.relation == relation) out.push_back(edge.to);
    }
  }
  return out;
}

std::vector<std::string> Topology::above(std::string_view part) const {
  std::vector<std::string> out{std::string(part)};
  std::set<std::string> seen{std::string(part)};
  for (size_t i = 0; i < out.size(); ++i)
    for (std::string& fmri : next(out[i], true))
      if (seen.insert(fmri).second) out.push_back(std::move(fmri));
  out.erase(out.begin());
  return out;
}

std::vector<std::string> Topology::above_over(std::string_view part,
                                              const std::set<std::string>& ways) const {
  std::vector<std::string> all = above(part);
  if (ways.empty()) return all;
  std::set<std::string> on_way(ways.begin(), ways.end()), leading;
  for (const std::string& way : ways) {
    const std::vector<std::string> nearest = next(way, true), further = above(way);
    if (nearest.empty()) return all;
    leading.insert(nearest.begin(), nearest.end());
    on_way.insert(further.begin(), further.end());
  }
  std::erase_if(all, [&](const std::string& one) {
    if (on_way.contains(one)) return false;
    const std::vector<std::string> over = above(one);
    return std::none_of(over.begin(), over.end(),
                        [&](const std::string& other) { return leading.contains(other); });
  });
  return all;
}

std::vector<std::string> Topology::below(std::string_view ancestor, std::string_view type) const {
  std::vector<std::string> open{std::string(ancestor)}, out;
  std::set<std::string> seen{std::string(ancestor)};
  while (!open.empty()) {
    const std::string from = std::move(open.back());
    open.pop_back();
    for (std::string& fmri : next(from, false)) {
      if (!seen.insert(fmri).second) continue;
      const Resource* r = inventory_.find(fmri);
      if (r && r->type == type) out.push_back(fmri);
      open.push_back(std::move(fmri));
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool Topology::is_above(std::string_view ancestor, std::string_view part) const {
  const std::vector<std::string> all = above(part);
  return std::find(all.begin(), all.end(), ancestor) != all.end();
}

}  // namespace fmd
