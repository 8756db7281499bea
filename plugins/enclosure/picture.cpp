#include "plugins/enclosure/picture.h"

#include <algorithm>

#include "fmd/chassis/pattern.h"
#include "fmd/core/fmri.h"

namespace fmd::enclosure {
namespace {

using chassis::Library;
using nlohmann::json;

void add_edge(json& resource, const std::string& to) {
  json edge{{"relation", "contains"}, {"to", to}};
  for (const auto& there : resource["edges"])
    if (there == edge) return;
  resource["edges"].push_back(std::move(edge));
}

json new_resource(const std::string& fmri, const std::string& type) {
  return {{"fmri", fmri},
          {"type", type},
          {"properties", json::object()},
          {"edges", json::array()},
          {"present", true}};
}

bool is_host(const Seen& seen) {
  return seen.box.name.empty();
}

// Whether a member's keys are that enclosure's.
bool is_member(const chassis::Description& host, const std::string& name, const Seen& seen) {
  return std::any_of(host.members.begin(), host.members.end(), [&](const chassis::Member& member) {
    if (!name.empty() && member.name != name) return false;
    return std::all_of(member.keys.begin(), member.keys.end(), [&](const auto& key) {
      const auto fact = seen.box.facts.find(key.first);
      return fact != seen.box.facts.end() && chassis::glob_matches(key.second, fact->second);
    });
  });
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

void describe_bay(json& properties, const chassis::Bay& told) {
  properties["label"] = told.label;
  for (auto [name, text] : {std::pair{"view", &told.view},
                            {"orientation", &told.orientation},
                            {"form_factor", &told.form_factor},
                            {"fault_domain", &told.fault_domain}})
    if (!text->empty()) properties[name] = *text;
  for (auto [name, number] : {std::pair{"x_mm", &told.box.x},
                              {"y_mm", &told.box.y},
                              {"w_mm", &told.box.w},
                              {"h_mm", &told.box.h}})
    if (*number) properties[name] = **number;
}

void describe_chassis(json& properties, const chassis::Description& told) {
  properties["description"] = told.name;
  std::string views;
  for (const auto& view : told.views)
    views += (views.empty() ? "" : ",") + view.name + ":" + json(view.width).dump() + "x" +
             json(view.height).dump();
  if (!views.empty()) properties["views"] = views;
  if (!told.generic) properties["product"] = told.label;
}

// The label that a generic description gives to what it finds.
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

// A sensor speaks the words that those of the host's own chips have; a part those of SES.
std::string status_of(const Element& element) {
  if (element.type != "sensor") return element.status;
  if (element.status == "OK") return "ok";
  if (element.status == "non-critical") return "alarm";
  return element.status == "critical" || element.status == "unrecoverable" ? "failed" : "unknown";
}

}  // namespace

std::string chassis_fmri(const std::string& id) {
  return make_fmri("hc", {{"chassis", id}});
}
std::string bay_fmri(const std::string& id, const std::string& slot) {
  return make_fmri("hc", {{"chassis", id}, {"bay", slot}});
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

Picture::Resources Picture::resources(const std::vector<const Seen*>& seen) const {
  Resources result;
  // The host's box last: what sits in an enclosure is not also at a port.
  for (const bool host : {false, true})
    for (const Seen* one : seen) {
      if (is_host(*one) != host) continue;
      if (!host) add_chassis(result, *one);
      for (const auto& bay : one->box.bays) {
        if (host && is_elsewhere(result, *one, bay)) continue;
        add_chassis(result, *one);
        const std::string fmri = bay_fmri(one->box.id, bay.slot);
        add_edge(result[chassis_fmri(one->box.id)], fmri);
        add_bay(result.emplace(fmri, new_resource(fmri, "bay")).first->second, *one, bay);
      }
      add_elements(result, *one);
    }
  return result;
}

void Picture::add_chassis(Resources& into, const Seen& seen) const {
  const std::string fmri = chassis_fmri(seen.box.id);
  const auto [there, is_new] = into.emplace(fmri, new_resource(fmri, "enclosure"));
  if (!is_new) return;
  json& properties = there->second["properties"];
  properties = {
      {"id", seen.box.id}, {"label", seen.box.label}, {"components", seen.box.components}};
  if (is_host(seen)) {
    std::string names;
    for (const auto& one : host_) {
      describe_chassis(properties, *one);
      names += (names.empty() ? "" : ",") + one->name;
    }
    properties["description"] = names;
    return;
  }
  if (seen.described) describe_chassis(properties, *seen.described);
  for (const auto& host : host_)
    if (is_member(*host, "", seen)) properties["member_of"] = host->name;
}

// A found bay whose disk an enclosure has.
bool Picture::is_elsewhere(const Resources& known, const Seen& seen, const Bay& bay) const {
  if (bay.label.empty()) return false;
  for (const auto& [fmri, resource] : known) {
    if (resource["type"] != "bay" || fmri == bay_fmri(seen.box.id, bay.slot)) continue;
    for (const auto& edge : resource["edges"])
      if (std::find(bay.disks.begin(), bay.disks.end(), edge["to"].get<std::string>()) !=
          bay.disks.end())
        return true;
  }
  return false;
}

// Called once a way to the bay: what a second way adds is the disk it alone can see.
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
  properties["status"] = seen.answers && !bay.status.empty() ? bay.status : "unknown";
  if (const auto slot = to_number(bay.slot); slot && bay.slot.size() < 10)
    properties["slot"] = *slot;
  if (is_host(seen)) properties["place"] = bay.component;  // "ata_port 0000:00:1f.2/3"
  if (const auto* told = told_of(host_, seen, bay))
    describe_bay(properties, *told);
  else if (const auto* how = discovery_of(host_, seen, bay); how && !how->form_factor.empty())
    properties["form_factor"] = how->form_factor;
  if (!seen.answers) return;  // what it shows now nobody knows
  if (!bay.power.empty()) properties["power"] = bay.power;
  leds_(properties, into["fmri"].get<std::string>());
}

void Picture::add_elements(Resources& into, const Seen& seen) const {
  const std::string chassis = chassis_fmri(seen.box.id);
  for (const auto& element : seen.elements) {
    const std::string fmri =
        make_fmri("hc", {{"chassis", seen.box.id}, {element.type, std::to_string(element.number)}});
    auto [there, is_new] = into.emplace(fmri, new_resource(fmri, element.type));
    json& properties = there->second["properties"];
    // Of two processors that both tell of it, the one that knows.
    const std::string before = properties.value("status", "unknown");
    if (!is_new && before != "unknown" && before != "not available" && before != "no access")
      continue;
    const bool ignored = seen.described && seen.described->has_quirk("ignore-component-status");
    properties = {{"label", element.name},
                  {"enclosure", chassis},
                  {"status", seen.answers && !ignored ? status_of(element) : "unknown"}};
    if (element.type == "sensor") properties["kind"] = "temperature";
    const std::string key = element.type + "/" + std::to_string(element.number);
    if (element.name.empty())
      properties["label"] = element.type + " " + std::to_string(element.number);
    if (seen.described)
      for (const auto& fru : seen.described->frus)
        if (const auto found = fru.keys.find("ses_element");
            found != fru.keys.end() && found->second == key)
          properties["label"] = fru.label;
    if (seen.answers && element.value) {
      properties["value"] = *element.value;
      properties["unit"] = element.unit;
    }
    if (seen.answers && !element.reason.empty()) properties["reason"] = element.reason;
    add_edge(into[chassis], fmri);
  }
}

}  // namespace fmd::enclosure
