#include "ui/cli/past.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "fmd/model/fmri.h"

namespace fmd::cli {
namespace {

constexpr int64_t kForever = INT64_MAX;
// Properties that change when a part fails or is retired (schemas/resources.md, "ASRU words").
constexpr std::array kTellOfFailure{"state",      "state_by",    "state_record", "service",
                                    "service_by", "retired_by",  "spare",        "spare_by",
                                    "spare_key",  "replacing",   "place",        "place_disk",
                                    "device",     "losses_left", "failures_left"};

bool is_disk(std::string_view fmri) {
  return fmri.starts_with("dev://wwn=") || fmri.starts_with("dev://serial=");
}

bool holds(const ui::Stay& stay, int64_t time_ns) {
  return stay.from_ns <= time_ns && (stay.to_ns == 0 || time_ns < stay.to_ns);
}

// A case stores values as text; the present value of the property shows whether it is a number.
Value value_like(const Resource& resource, const std::string& property, const std::string& text) {
  const auto today = resource.properties.find(property);
  if (today != resource.properties.end() && std::holds_alternative<std::string>(today->second))
    return text;
  const char* end = text.data() + text.size();
  int64_t whole = 0;
  if (const auto [at, error] = std::from_chars(text.data(), end, whole);
      error == std::errc() && at == end)
    return whole;
  double number = 0;
  if (const auto [at, error] = std::from_chars(text.data(), end, number);
      error == std::errc() && at == end)
    return number;
  return text;
}

void link(Resource& from, Relation relation, const std::string& to) {
  const Edge edge{relation, to};
  if (std::find(from.edges.begin(), from.edges.end(), edge) == from.edges.end())
    from.edges.push_back(edge);
}

void say(Resource& resource, const char* property, const std::string& text) {
  if (!text.empty() && resource.get(property).empty()) resource.properties[property] = text;
}

bool is_same(const Resource& a, const Resource& b) {
  return a.type == b.type && a.present == b.present && a.properties == b.properties &&
         a.edges == b.edges;
}

}  // namespace

Past::Past(Inventory today, std::vector<ui::Stay> stays, std::vector<Case> cases)
    : today_(std::move(today)) {
  std::stable_sort(stays.begin(), stays.end(),
                   [](const auto& a, const auto& b) { return a.from_ns < b.from_ns; });
  for (ui::Stay& stay : stays) {
    // It was there when fmd first looked: the beginning is unknown.
    if (!by_bay_.contains(stay.bay) && !stay.from_exact) stay.from_ns = 0;
    if (Resource* bay = gone_part(stay.bay, "bay", kForever)) say(*bay, "label", stay.label);
    if (Resource* disk = gone_part(stay.disk, "disk", kForever)) {
      say(*disk, "serial", stay.serial);
      say(*disk, "model", stay.model);
    }
    by_bay_[stay.bay].push_back(stay);
    by_disk_[stay.disk].push_back(std::move(stay));
  }
  for (const Case& c : cases) remember(c);
  for (const auto& [fmri, gone] : gone_)
    if (fmri.find("/vdev=") != fmri.npos) whole_of_[fmri] = whole_of(fmri, gone);
  for (auto& [fmri, properties] : seen_)
    for (auto& [name, values] : properties)
      std::stable_sort(values.begin(), values.end(),
                       [](const Seen& a, const Seen& b) { return a.since_ns < b.since_ns; });
}

Resource* Past::gone_part(const std::string& fmri, const char* type, int64_t until_ns) {
  if (fmri.empty() || today_.find(fmri)) return nullptr;
  Resource& part = gone_[fmri];
  part.fmri = fmri;
  if (part.type.empty()) part.type = type;
  int64_t& until = gone_until_[fmri];
  until = std::max(until, until_ns);
  return &part;
}

void Past::remember(const Case& c) {
  const int64_t until = c.resolved_ns == 0 ? kForever : c.resolved_ns;
  for (const Suspect& suspect : c.suspects) remember(suspect, c);
  for (const Observation& o : c.observations)
    seen_[o.resource][o.property].push_back({o.since_ns, until, o.value, o.baseline});
}

void Past::remember(const Suspect& s, const Case& c) {
  const int64_t until = c.resolved_ns == 0 ? kForever : c.resolved_ns;
  if (c.resolved_ns == 0 && s.status == SuspectStatus::faulty && !s.asru.empty()) {
    const auto [at, first] = failed_since_.emplace(s.asru, c.opened_ns);
    if (!first) at->second = std::min(at->second, c.opened_ns);
  }
  if (is_disk(s.fru)) {
    if (Resource* disk = gone_part(s.fru, "disk", until)) {
      say(*disk, "serial", s.serial);
      say(*disk, "model", s.model);
      say(*disk, "part_number", s.part_number);
      say(*disk, "path", s.device_path);
    }
    if (!s.bay.empty() && !by_disk_.contains(s.fru) && !today_.find(s.fru)) {
      ui::Stay stay{s.bay, s.location, s.fru, s.serial, s.model, 0, c.resolved_ns, false, false};
      by_bay_[s.bay].push_back(stay);
      by_disk_[s.fru].push_back(std::move(stay));
    }
  }
  const auto vdev = Fmri::parse(s.resource);
  if (!vdev || vdev->get("vdev").empty()) return;
  Resource* gone = gone_part(s.resource, "zfs-vdev", until);
  if (!gone) return;
  gone->properties["vdev_type"] = std::string("disk");
  for (const char* fact : {"name", "pool"})
    if (const auto at = s.facts.find(fact); at != s.facts.end()) say(*gone, fact, at->second);
  if (is_disk(s.fru)) link(*gone, Relation::redundancy, s.fru);
}

// False: it was not present yet.
bool Past::settle_disk(Resource& disk, int64_t time_ns) const {
  const auto stays = by_disk_.find(disk.fmri);
  if (stays == by_disk_.end()) return true;
  const auto sits = [time_ns](const ui::Stay& stay) { return holds(stay, time_ns); };
  if (std::any_of(stays->second.begin(), stays->second.end(), sits)) {
    disk.present = true;
    return true;
  }
  if (time_ns < stays->second.front().from_ns) return false;
  // After its last stay only the present state is known: the disk may be in a bay unknown to fmd.
  if (time_ns < stays->second.back().from_ns || gone_.contains(disk.fmri)) disk.present = false;
  return true;
}

void Past::settle_bay(Resource& bay, int64_t time_ns) const {
  const auto stays = by_bay_.find(bay.fmri);
  if (stays == by_bay_.end()) return;
  std::erase_if(bay.edges, [this](const Edge& edge) {
    return edge.relation == Relation::contains && (is_disk(edge.to) || by_disk_.contains(edge.to));
  });
  for (const ui::Stay& stay : stays->second)
    if (holds(stay, time_ns)) link(bay, Relation::contains, stay.disk);
}

void Past::settle_values(Resource& resource, int64_t time_ns) const {
  if (const auto since = failed_since_.find(resource.fmri);
      since != failed_since_.end() && time_ns < since->second)
    for (const char* name : kTellOfFailure) resource.properties.erase(name);
  const auto seen = seen_.find(resource.fmri);
  if (seen == seen_.end()) return;
  for (const auto& [property, values] : seen->second) {
    const auto next = std::find_if(values.begin(), values.end(),
                                   [time_ns](const Seen& s) { return s.since_ns > time_ns; });
    const Seen* last = next == values.begin() ? nullptr : &*std::prev(next);
    if (last && time_ns < last->until_ns)
      resource.properties[property] = value_like(resource, property, last->value);
    else if (next != values.end() && !next->before.empty() && next->before != "unknown")
      resource.properties[property] = value_like(resource, property, next->before);
    else if (next != values.end())
      resource.properties.erase(property);
  }
}

// A vdev none of whose disks was present yet.
bool Past::is_vdev_of_newcomers(const Resource& resource, int64_t time_ns) const {
  size_t disks = 0;
  for (const Edge& edge : resource.edges) {
    if (edge.relation != Relation::redundancy || !is_disk(edge.to)) continue;
    const auto stays = by_disk_.find(edge.to);
    if (stays == by_disk_.end() || time_ns >= stays->second.front().from_ns) return false;
    ++disks;
  }
  return disks > 0;
}

std::optional<Resource> Past::part(const std::string& fmri, int64_t time_ns) const {
  const Resource* known = today_.find(fmri);
  if (!known) {
    const auto gone = gone_.find(fmri);
    if (gone == gone_.end() || time_ns >= gone_until_.at(fmri)) return {};
    known = &gone->second;
  }
  Resource then = *known;
  if (then.type == "plugin") return {};
  then.sources.clear();
  if (!settle_disk(then, time_ns)) return {};
  if (is_vdev_of_newcomers(then, time_ns)) return {};
  settle_bay(then, time_ns);
  settle_values(then, time_ns);
  std::erase_if(then.edges, [&](const Edge& edge) {
    const Resource* to = edge.relation == Relation::redundancy ? today_.find(edge.to) : nullptr;
    return to && is_vdev_of_newcomers(*to, time_ns);
  });
  for (const auto& [vdev, whole] : whole_of_)
    if (whole == fmri && time_ns < gone_until_.at(vdev)) link(then, Relation::redundancy, vdev);
  return then;
}

// The former parent of a vdev that has left its pool: that of the vdev on the next disk in the same
// bay, or else the pool itself.
std::string Past::whole_of(const std::string& vdev, const Resource& gone) const {
  for (const Edge& edge : gone.edges) {
    const auto stays = by_disk_.find(edge.to);
    if (edge.relation != Relation::redundancy || stays == by_disk_.end()) continue;
    const ui::Stay& last = stays->second.back();
    for (const ui::Stay& next : by_bay_.at(last.bay)) {
      if (next.disk == edge.to || next.from_ns < last.to_ns) continue;
      for (const Resource* heir : today_.parents(next.disk, Relation::redundancy))
        if (heir->fmri.substr(0, heir->fmri.find("/vdev=")) == vdev.substr(0, vdev.find("/vdev=")))
          for (const Resource* whole : today_.parents(heir->fmri, Relation::redundancy))
            return whole->fmri;
    }
  }
  return vdev.substr(0, vdev.find("/vdev="));
}

std::vector<Resource> Past::at(int64_t time_ns) const {
  std::set<std::string> names;
  for (const auto& [fmri, resource] : today_.all()) names.insert(fmri);
  for (const auto& [fmri, resource] : gone_) names.insert(fmri);
  std::vector<Resource> parts;
  for (const std::string& fmri : names)
    if (auto then = part(fmri, time_ns)) parts.push_back(std::move(*then));
  return parts;
}

// The part, and all parts on it.
std::set<std::string> Past::concerned(const std::string& fmri) const {
  std::set<std::string> all{fmri};
  std::vector<std::string> next{fmri};
  while (!next.empty()) {
    const std::string one = std::move(next.back());
    next.pop_back();
    for (const Resource* above : today_.parents(one, Relation::redundancy))
      if (all.insert(above->fmri).second) next.push_back(above->fmri);
    for (const auto& [vdev, resource] : gone_)
      for (const Edge& edge : resource.edges)
        if (edge.to == one && all.insert(vdev).second) next.push_back(vdev);
    if (const size_t slash = one.find("/vdev="); slash != one.npos)
      all.insert(one.substr(0, slash));
  }
  return all;
}

std::vector<PastChange> Past::changes(int64_t after_ns, int64_t until_ns) const {
  std::map<int64_t, std::set<std::string>> moments;
  const auto note = [&](int64_t time_ns, const std::string& fmri) {
    if (time_ns > after_ns && time_ns <= until_ns) moments[time_ns].merge(concerned(fmri));
  };
  for (const auto& [bay, stays] : by_bay_)
    for (const ui::Stay& stay : stays)
      for (const int64_t time : {stay.from_ns, stay.to_ns})
        if (time != 0) {
          note(time, stay.disk);
          note(time, bay);
        }
  for (const auto& [fmri, properties] : seen_)
    for (const auto& [name, values] : properties)
      for (const Seen& seen : values) {
        note(seen.since_ns, fmri);
        note(seen.until_ns, fmri);
      }
  for (const auto& [fmri, time] : failed_since_) note(time, fmri);
  for (const auto& [fmri, time] : gone_until_) note(time, fmri);
  std::vector<PastChange> changes;
  for (const auto& [time_ns, parts] : moments) {
    PastChange change{time_ns, {}, {}};
    for (const std::string& fmri : parts) {
      auto before = part(fmri, time_ns - 1), then = part(fmri, time_ns);
      if (then && (!before || !is_same(*before, *then)))
        change.parts.push_back(std::move(*then));
      else if (before && !then)
        change.gone.push_back(fmri);
    }
    if (!change.parts.empty() || !change.gone.empty()) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace fmd::cli
