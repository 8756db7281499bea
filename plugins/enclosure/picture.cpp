#include "plugins/enclosure/picture.h"

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/chassis/pattern.h"
#include "fmd/chassis/properties.h"
#include "fmd/model/fmri.h"
#include "plugins/enclosure/parts.h"
#include "plugins/sdk/messages.h"

namespace fmd::enclosure {
namespace {

using chassis::Library;
using nlohmann::json;

bool is_host(const Seen& seen) {
  return seen.box.name.empty();
}

bool means(const chassis::Resolver& resolver, const Bay& bay) {
  return (resolver.kind == "ses_slot" && resolver.value == bay.slot) ||
         (resolver.kind == "ses_name" && resolver.value == trim(bay.component));
}

const chassis::Bay* by_slot(const chassis::Description& in, const Seen& seen, const Bay& bay) {
  for (const auto& one : in.bays)
    for (const auto& resolver : one.resolve)
      if (means(resolver, bay) &&
          (in.applies_to == "shelf" || is_member(in, resolver.member, seen)))
        return &one;
  return nullptr;
}

void append(json& properties, const char* name, std::string_view between, const std::string& text) {
  if (text.empty()) return;
  std::string all = properties.value(name, "");
  if (!all.empty()) all += between;
  properties[name] = all + text;
}

// Called once per description: several generic ones may fit a host.
void describe_chassis(json& properties, const chassis::Description& told,
                      const chassis::Facts& facts) {
  append(properties, "description", ",", told.name);
  append(properties, "description_file", ",", told.file);
  append(properties, "matched_by", "; ", chassis::matched_by(told, facts));
  chassis::describe(told.views, properties);
  if (told.generic) return;
  properties["product"] = told.label;
  properties["verified"] = told.verified;
}

// True for a described bay that resolves to a slot of a present enclosure.
bool stands_for_slot(const std::vector<Library::Found>& host, const std::vector<const Seen*>& all,
                     const Bay& bay) {
  const auto is_there = [&](const chassis::Description& in, const chassis::Resolver& resolver) {
    return std::any_of(all.begin(), all.end(), [&](const Seen* seen) {
      return !is_host(*seen) && is_member(in, resolver.member, *seen) &&
             std::any_of(seen->box.bays.begin(), seen->box.bays.end(),
                         [&](const Bay& slot) { return means(resolver, slot); });
    });
  };
  for (const auto& description : host)
    for (const auto& told : description->bays) {
      if (told.id != bay.slot) continue;
      for (const auto& resolver : told.resolve)
        if (is_there(*description, resolver)) return true;
    }
  return false;
}

// True for a discovered bay whose disk is already in an enclosure or in an earlier bay.
bool is_disk_elsewhere(const std::vector<const Seen*>& all, const Seen& box, const Bay& bay) {
  for (const Seen* other : all)
    for (const Bay& one : other->box.bays) {
      if (&one == &bay) break;
      if (other == &box && one.slot == bay.slot) continue;
      for (const auto& disk : one.disks)
        if (std::find(bay.disks.begin(), bay.disks.end(), disk) != bay.disks.end()) return true;
    }
  return false;
}

// The label that a generic description gives to a discovered bay.
std::string found_label(const Seen& seen, const Bay& bay) {
  if (!bay.label.empty()) return bay.label;
  const std::string name = trim(bay.component);
  if (seen.described)
    for (const auto& how : seen.described->discover)
      if (const auto label = chassis::fill(how.label.empty() ? "{name}" : how.label,
                                           {{"n", bay.slot}, {"name", name}, {"at", ""}}))
        return *label;
  return name;
}

const chassis::Discovery* discovery_of(const std::vector<Library::Found>& host, const Seen& seen,
                                       const Bay& bay) {
  if (!is_host(seen))
    return seen.described && !seen.described->discover.empty() ? &seen.described->discover.front()
                                                               : nullptr;
  const std::string by = bay.component.starts_with("ata_port") ? "ata-port" : "pci-slot";
  for (const auto& one : host)
    for (const auto& how : one->discover)
      if (how.by == by) return &how;
  return nullptr;
}

}  // namespace

std::string chassis_fmri(const std::string& id) {
  return make_fmri("hc", {{"chassis", id}});
}
std::string bay_fmri(const std::string& id, const std::string& slot) {
  return make_fmri("hc", {{"chassis", id}, {"bay", slot}});
}

void add_edge(json& resource, const std::string& to) {
  json edge{{"relation", "contains"}, {"to", to}};
  for (const auto& there : resource["edges"])
    if (there == edge) return;
  resource["edges"].push_back(std::move(edge));
}

bool is_member(const chassis::Description& host, const std::string& name, const Seen& seen) {
  return std::any_of(host.members.begin(), host.members.end(), [&](const chassis::Member& member) {
    if (!name.empty() && member.name != name) return false;
    return std::all_of(member.keys.begin(), member.keys.end(), [&](const auto& key) {
      const auto fact = seen.box.facts.find(key.first);
      return fact != seen.box.facts.end() && chassis::glob_matches(key.second, fact->second);
    });
  });
}

const chassis::Bay* told_of(const std::vector<Library::Found>& host, const Seen& seen,
                            const Bay& bay) {
  for (const auto& description : host) {
    if (!is_host(seen)) {
      if (const auto* told = by_slot(*description, seen, bay)) return told;
      continue;
    }
    for (const auto& one : description->bays)
      if (one.id == bay.slot && bay.label.empty()) return &one;
  }
  return !is_host(seen) && seen.described ? by_slot(*seen.described, seen, bay) : nullptr;
}

const chassis::Leds* leds_told(const std::vector<Library::Found>& host, const Seen& seen,
                               const Bay& bay) {
  if (const auto* told = told_of(host, seen, bay)) return &told->leds;
  const auto* how = discovery_of(host, seen, bay);
  return how ? &how->leds : nullptr;
}

bool is_enclosures(const std::vector<Library::Found>& host, const std::vector<const Seen*>& all,
                   const Seen& box, const Bay& bay) {
  if (!is_host(box)) return false;
  return bay.label.empty() ? stands_for_slot(host, all, bay) : is_disk_elsewhere(all, box, bay);
}

Resources Picture::resources(const std::vector<const Seen*>& seen) const {
  Resources result;
  const bool own = std::any_of(host_.begin(), host_.end(), [](const Library::Found& description) {
    return !description->generic;
  });
  std::string host_box;
  for (const Seen* one : seen)
    if (is_host(*one)) host_box = chassis_fmri(one->box.id);
  for (const bool host : {false, true})
    for (const Seen* one : seen) {
      if (is_host(*one) != host) continue;
      if (!host || own) add_chassis(result, *one, host_box);
      for (const auto& bay : one->box.bays) {
        if (is_enclosures(host_, seen, *one, bay)) continue;
        add_chassis(result, *one, host_box);
        const std::string fmri = bay_fmri(one->box.id, bay.slot);
        add_edge(result[chassis_fmri(one->box.id)], fmri);
        add_bay(result.emplace(fmri, sdk::resource(fmri, "bay")).first->second, *one, bay);
      }
      add_parts(result, *one, host_);
    }
  return result;
}

void Picture::add_chassis(Resources& into, const Seen& seen, const std::string& host_box) const {
  const std::string fmri = chassis_fmri(seen.box.id);
  const auto [there, is_new] = into.emplace(fmri, sdk::resource(fmri, "enclosure"));
  if (!is_new) return;
  json& properties = there->second["properties"];
  properties = {
      {"id", seen.box.id}, {"label", seen.box.label}, {"components", seen.box.components}};
  if (is_host(seen)) {
    for (const auto& one : host_) describe_chassis(properties, *one, seen.box.facts);
    return;
  }
  if (seen.described) describe_chassis(properties, *seen.described, seen.box.facts);
  if (host_box.empty()) return;
  // Only if the host's description says where its bays are; otherwise it is pictured by itself.
  for (const auto& host : host_)
    if (std::any_of(seen.box.bays.begin(), seen.box.bays.end(),
                    [&](const Bay& bay) { return by_slot(*host, seen, bay); }))
      properties["member_of"] = host_box;
}

// Called once per path to the bay: a second path adds only the disks that it alone sees.
void Picture::add_bay(json& into, const Seen& seen, const Bay& bay) const {
  for (const auto& disk : bay.disks) add_edge(into, disk);
  json& properties = into["properties"];
  const bool by_link = seen.described && seen.described->has_quirk("occupied-by-link");
  const bool occupied = by_link ? !bay.disks.empty() || !bay.device.empty() : bay.occupied;
  const bool known = properties.contains("label") && properties["status"] != "unknown";
  if (known) {
    properties["occupied"] = properties["occupied"].get<bool>() || occupied;
    return;
  }
  properties["label"] = found_label(seen, bay);
  properties["enclosure"] = chassis_fmri(seen.box.id);
  properties["occupied"] = occupied;
  if (!is_host(seen)) properties["tells_empty"] = seen.tells_empty;
  properties["status"] = seen.answers && !bay.status.empty() ? bay.status : "unknown";
  if (const auto slot = to_number(bay.slot); slot && bay.slot.size() < 10)
    properties["slot"] = *slot;
  if (is_host(seen)) properties["place"] = bay.component;  // "ata_port 0000:00:1f.2/3"
  if (const auto* told = told_of(host_, seen, bay))
    chassis::describe(*told, properties);
  else if (const auto* how = discovery_of(host_, seen, bay); how && !how->form_factor.empty())
    properties["form_factor"] = how->form_factor;
  if (!seen.answers) return;  // its present state is unknown
  if (!bay.power.empty()) properties["power"] = bay.power;
  leds_(properties, into["fmri"].get<std::string>());
}

}  // namespace fmd::enclosure
