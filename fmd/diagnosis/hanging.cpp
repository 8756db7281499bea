#include "fmd/diagnosis/hanging.h"

#include <algorithm>
#include <map>

namespace fmd {

Hanging::Hanging(const Inventory& inventory, Topology topology, const Rule& rule)
    : inventory_(inventory), topology_(std::move(topology)) {
  std::vector<std::vector<std::string>> above;
  std::unordered_map<std::string, Ids> below;
  for (const auto& [fmri, r] : inventory.all()) {
    if (!rule.compares(r.type)) continue;
    const Id id = static_cast<Id>(parts_.size());
    above.push_back(topology_.above(fmri));
    for (const std::string& one : above.back()) below[one].push_back(id);
    ids_.emplace(fmri, id);
    parts_.push_back({fmri, r.present, ways_among(above.back()), 0});
    all_present_ = all_present_ && r.present;
  }
  compared_ = parts_.size();
  // With fewer parts below it, an ancestor can be neither a cause nor a reason for doubt.
  const size_t enough = std::min<size_t>(rule.count, rule.undecided_from());
  for (auto& [fmri, ids] : below) {
    if (ids.size() < enough) continue;
    ancestor_ids_.emplace(fmri, static_cast<Id>(ancestors_.size()));
    ancestors_.push_back({fmri, std::move(ids)});
  }
  for (Id id = 0; id < compared_; ++id) {
    parts_[id].group = group_of(numbered(above[id]));
    present_in_[parts_[id].group] += parts_[id].present;
  }
}

Hanging::Id Hanging::part(const std::string& fmri) {
  const auto [at, is_new] = ids_.try_emplace(fmri, static_cast<Id>(parts_.size()));
  if (!is_new) return at->second;
  const std::vector<std::string> above = topology_.above(fmri);
  parts_.push_back({fmri, true, ways_among(above), group_of(numbered(above))});
  return at->second;
}

// Number of paths to the parts below these; 0 for parts without an ancestor.
size_t Hanging::ways_among(const std::vector<std::string>& above) const {
  if (above.empty()) return 0;
  const auto ways = std::count_if(above.begin(), above.end(), [&](const std::string& one) {
    const Resource* r = inventory_.find(one);
    return r && r->type == "path";
  });
  return std::max<size_t>(1, static_cast<size_t>(ways));
}

Hanging::Ids Hanging::numbered(const std::vector<std::string>& above) const {
  Ids out;
  for (const std::string& one : above)
    if (const auto id = ancestor(one)) out.push_back(*id);
  return out;
}

Hanging::Id Hanging::group_of(Ids above) {
  const auto [at, is_new] = group_ids_.try_emplace(above, static_cast<Id>(groups_.size()));
  if (!is_new) return at->second;
  groups_.push_back(std::move(above));
  present_in_.push_back(0);
  return at->second;
}

Hanging::Ids Hanging::above_over(Id part, const std::set<std::string>& ways) const {
  return ways.empty() ? above(part) : numbered(topology_.above_over(part_name(part), ways));
}

bool Hanging::is_below(Id part, Id ancestor) const {
  const Ids& all = above(part);
  return std::find(all.begin(), all.end(), ancestor) != all.end();
}

bool Hanging::includes(Id wide, Id narrow) const {
  if (wide == narrow) return true;
  const auto [at, is_new] = includes_.try_emplace(uint64_t{wide} << 32 | narrow);
  if (is_new)
    at->second = std::includes(below(wide).begin(), below(wide).end(), below(narrow).begin(),
                               below(narrow).end());
  return at->second;
}

}  // namespace fmd
