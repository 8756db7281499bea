#include "plugins/enclosure/parts.h"

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/chassis/properties.h"
#include "fmd/model/fmri.h"
#include "plugins/sdk/messages.h"

namespace fmd::enclosure {
namespace {

using chassis::Fru;
using chassis::Library;
using nlohmann::json;

std::string part_fmri(const Seen& seen, const std::string& type, const std::string& number) {
  return make_fmri("hc", {{"chassis", seen.box.id}, {type, number}});
}

// A sensor's state in the terms of the host's own sensors; other parts use those of SES.
std::string status_of(const Element& element) {
  if (element.type != "sensor") return element.status;
  if (element.status == "OK") return "ok";
  if (element.status == "non-critical") return "alarm";
  return element.status == "critical" || element.status == "unrecoverable" ? "failed" : "unknown";
}

// The descriptions of the enclosure's elements: the host's precedes the enclosure's own.
std::vector<const Fru*> told_of_elements(const Seen& seen,
                                         const std::vector<Library::Found>& host) {
  std::vector<const Fru*> told;
  for (const auto& description : host)
    for (const Fru& fru : description->frus)
      if (fru.keys.contains("ses_element") && is_member(*description, fru.member, seen))
        told.push_back(&fru);
  if (seen.described)
    for (const Fru& fru : seen.described->frus) told.push_back(&fru);
  return told;
}

bool is_there(const Element& element) {
  return element.status == "OK" || element.status == "critical" ||
         element.status == "non-critical" || element.status == "unrecoverable";
}

std::string key_of(const Element& element) {
  return element.type + "/" + std::to_string(element.number);
}

// The element's descriptor; its number is added if several elements of the type have the same text
// or none.
std::string label_of(const Seen& seen, const Element& element) {
  const auto alike =
      std::count_if(seen.elements.begin(), seen.elements.end(), [&](const Element& other) {
        return other.type == element.type && other.name == element.name;
      });
  if (!element.name.empty() && alike < 2) return element.name;
  return (element.name.empty() ? element.type : element.name) + " " +
         std::to_string(element.number);
}

void add_element(Resources& into, const Seen& seen, const Element& element,
                 const std::vector<const Fru*>& told) {
  const std::string number = std::to_string(element.number), chassis = chassis_fmri(seen.box.id),
                    fmri = part_fmri(seen, element.type, number);
  auto [there, is_new] = into.emplace(fmri, sdk::resource(fmri, element.type));
  json& properties = there->second["properties"];
  // If two enclosure processors report it, use the one that knows its state.
  const std::string before = properties.value("status", "unknown");
  if (!is_new && before != "unknown" && before != "not available" && before != "no access") return;
  const bool ignored = seen.described && seen.described->has_quirk("ignore-component-status");
  properties = {{"label", label_of(seen, element)},
                {"enclosure", chassis},
                {"status", seen.answers && !ignored ? status_of(element) : "unknown"}};
  if (element.type == "sensor") properties["kind"] = "temperature";
  for (const Fru* fru : told)
    if (fru->key("ses_element") == element.type + "/" + number) {
      chassis::describe(*fru, properties);
      break;
    }
  if (seen.answers && element.value) {
    properties["value"] = *element.value;
    properties["unit"] = element.unit;
  }
  if (seen.answers && !element.reason.empty()) properties["reason"] = element.reason;
  if (element.type != "sensor" && seen.installed.contains(key_of(element)))
    properties["was_installed"] = true;
  // A supply without AC power is rarely broken, and some shelves report it as OK.
  if (element.type == "psu" && seen.answers && !ignored && is_there(element)) {
    properties["ac"] = element.reason.find("AC fail") == std::string::npos ? "ok" : "lost";
    properties["predicted"] = element.reason.find("failure predicted") != std::string::npos;
  }
  // A supply powers the whole shelf, a fan cools it.
  if (element.type == "psu" || element.type == "fan")
    there->second["edges"] =
        json::array({{{"relation", element.type == "psu" ? "power" : "cooling"}, {"to", chassis}}});
  add_edge(into[chassis], fmri);
}

// If several supplies report their input and none has any, the feed has failed, not the supplies.
void compare_inputs(Resources& into, const std::string& chassis) {
  std::vector<json*> supplies;
  size_t lost = 0;
  for (auto& [fmri, one] : into) {
    if (one["type"] != "psu" || one["properties"].value("enclosure", "") != chassis ||
        !one["properties"].contains("ac"))
      continue;
    supplies.push_back(&one);
    lost += one["properties"]["ac"] == "lost";
  }
  if (supplies.empty()) return;
  const bool all = supplies.size() > 1 && lost == supplies.size();
  for (json* one : supplies) (*one)["properties"]["feed"] = all ? "all" : "own";
  into[chassis]["properties"]["input"] = all ? "none" : lost > 0 ? "some" : "ok";
}

void add_unobserved(Resources& into, const Seen& seen, const Fru& fru, const std::string& number) {
  const std::string fmri = part_fmri(seen, fru.type, number), chassis = chassis_fmri(seen.box.id);
  const auto [there, is_new] = into.emplace(fmri, sdk::resource(fmri, fru.type));
  if (!is_new) return;
  json& properties = there->second["properties"];
  chassis::describe(fru, properties);
  properties["enclosure"] = chassis;
  add_edge(into[chassis], fmri);
}

}  // namespace

void add_parts(Resources& into, const Seen& seen, const std::vector<Library::Found>& host) {
  if (!seen.box.name.empty()) {
    const auto told = told_of_elements(seen, host);
    for (const Element& element : seen.elements) add_element(into, seen, element, told);
    compare_inputs(into, chassis_fmri(seen.box.id));
    for (const Fru* fru : told) {
      const std::string element = fru->key("ses_element");
      add_unobserved(into, seen, *fru, element.substr(element.find('/') + 1));
    }
    return;
  }
  // The host's own bays have no number: count them in the order of the file.
  std::map<std::string, int> counted;
  for (const auto& description : host)
    for (const Fru& fru : description->frus)
      if ((fru.type == "psu" || fru.type == "fan" || fru.type == "sensor") &&
          !fru.keys.contains("ses_element"))
        add_unobserved(into, seen, fru, std::to_string(counted[fru.type]++));
}

void remember_installed(Seen& seen) {
  for (const Element& element : seen.elements)
    if (is_there(element)) seen.installed.insert(key_of(element));
}

}  // namespace fmd::enclosure
