#include "fmd/diagnosis/blame/hubs.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace fmd::blame {
namespace {

struct Candidate {
  std::string name;
  size_t level = SIZE_MAX;  // distance from the nearest part
  std::vector<Hubs::Id> parts = {};
};

}  // namespace

Hubs::Hubs(const Layout& layout) {
  Ids models, groups;
  add_parts(layout, models, groups);
  add_hubs(layout);
}

Hubs::Id Hubs::part(std::string_view name) const {
  const auto at = ids_.find(name);
  return at == ids_.end() ? kNone : at->second;
}

void Hubs::add_parts(const Layout& layout, Ids& models, Ids& groups) {
  const auto number = [](Ids& ids, const std::string& name) {
    return name.empty() ? kNone : ids.try_emplace(name, static_cast<Id>(ids.size())).first->second;
  };
  for (const Layout::Part& one : layout.parts) {
    if (!ids_.try_emplace(one.name, static_cast<Id>(parts_.size())).second) continue;
    Part part{one.name};
    part.used = one.used;
    part.bay_tells = one.bay_tells;
    part.model = number(models, one.model);
    part.group = number(groups, one.group);
    if (part.group != kNone && part.group == groups_.size())
      groups_.push_back({one.group, one.tolerance});
    parts_.push_back(std::move(part));
  }
  model_sizes_.assign(models.size(), 0);
  for (const Layout::Part& one : layout.parts) {
    const Id id = part(one.name), disk = one.disk.empty() ? id : part(one.disk);
    parts_[id].disk = disk == kNone ? id : disk;
    if (parts_[id].disk != id) parts_[disk].paths.push_back(id);
    if (parts_[id].disk == id && parts_[id].model != kNone) ++model_sizes_[parts_[id].model];
  }
}

void Hubs::add_hubs(const Layout& layout) {
  std::map<std::pair<HubKind, std::string>, Candidate> found;
  for (const Layout::Part& one : layout.parts) {
    const size_t most = std::min(one.above.size(), kMostAbove);
    for (size_t level = 0; level < most; ++level) {
      const Layout::Above& above = one.above[level];
      Candidate& hub = found[{above.kind, above.name}];
      hub.name = above.name;
      hub.level = std::min(hub.level, level);
      hub.parts.push_back(part(one.name));
    }
  }
  std::map<std::pair<HubKind, std::vector<Id>>, std::vector<Candidate>> alike;
  for (auto& [key, hub] : found) {
    std::sort(hub.parts.begin(), hub.parts.end());
    hub.parts.erase(std::unique(hub.parts.begin(), hub.parts.end()), hub.parts.end());
    if (key.first == HubKind::path || key.first == HubKind::enclosure) blind_ = false;
    if (hub.parts.size() > 1) alike[{key.first, hub.parts}].push_back(hub);
  }
  for (auto& [key, hubs] : alike) {
    std::sort(hubs.begin(), hubs.end(), [](const Candidate& a, const Candidate& b) {
      return std::tie(a.level, a.name) < std::tie(b.level, b.name);
    });
    Hub hub{key.first, {}, key.second};
    for (Candidate& one : hubs) hub.names.push_back(std::move(one.name));
    hubs_.push_back(std::move(hub));
  }
  machine_ = static_cast<Id>(hubs_.size());
  Hub all{HubKind::machine, {""}};
  for (Id id = 0; id < parts_.size(); ++id)
    if (parts_[id].disk == id) all.parts.push_back(id);
  hubs_.push_back(std::move(all));
  for (Id id = 0; id < hubs_.size(); ++id) {
    Hub& hub = hubs_[id];
    for (const Id one : hub.parts) {
      hub.disks.push_back(parts_[one].disk);
      if (id != machine_) parts_[one].hubs.push_back(id);
    }
    std::sort(hub.disks.begin(), hub.disks.end());
    hub.disks.erase(std::unique(hub.disks.begin(), hub.disks.end()), hub.disks.end());
  }
}

}  // namespace fmd::blame
