#include "fmd/diagnosis/topology.h"

#include <algorithm>
#include <set>

#include "fmd/model/fmri.h"

namespace fmd {

Topology::Topology(const Inventory& inventory, const PathMemory& paths, const Rule& common)
    : inventory_(inventory),
      paths_(paths),
      along_(common.along),
      in_common_(common.in_common.empty() ? "" : in_common_fmri(common.in_common)),
      part_types_(common.part_types) {}

std::vector<std::string> Topology::next(std::string_view from, bool upwards) const {
  std::vector<std::string> out;
  const Resource* r = upwards ? nullptr : inventory_.find(from);
  if (!in_common_.empty()) {
    const auto is_part = [&](const Resource& one) {
      return std::find(part_types_.begin(), part_types_.end(), one.type) != part_types_.end();
    };
    if (upwards) {
      if (const Resource* part = inventory_.find(from); part && is_part(*part))
        out.push_back(in_common_);
    } else if (from == in_common_) {
      for (const auto& [fmri, one] : inventory_.all())
        if (is_part(one)) out.push_back(fmri);
    }
  }
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

std::vector<std::string> Topology::below(std::string_view ancestor,
                                         const std::vector<std::string>& types) const {
  std::vector<std::string> open{std::string(ancestor)}, out;
  std::set<std::string> seen{std::string(ancestor)};
  while (!open.empty()) {
    const std::string from = std::move(open.back());
    open.pop_back();
    for (std::string& fmri : next(from, false)) {
      if (!seen.insert(fmri).second) continue;
      const Resource* r = inventory_.find(fmri);
      if (r && std::find(types.begin(), types.end(), r->type) != types.end()) out.push_back(fmri);
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
