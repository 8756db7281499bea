#include "plugins/redfish/members.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "fmd/model/fmri.h"
#include "plugins/hardware/system_id.h"
#include "plugins/redfish/documents.h"

namespace fmd::redfish {

using nlohmann::json;

// "#PowerSupply.v1_5_0.PowerSupply" → "PowerSupply".
std::string kind_of(const json& doc) {
  const std::string type = text(doc, "@odata.type");
  const size_t dot = type.rfind('.');
  return dot == type.npos ? type : type.substr(dot + 1);
}

std::map<std::string, std::string> kinds_by_link(const Documents& documents) {
  constexpr const char* kSingle[] = {"Power", "PowerSubsystem", "Thermal", "ThermalSubsystem"};
  constexpr std::pair<const char*, const char*> kMembers[] = {{"PowerSupplies", "PowerSupply"},
                                                              {"Fans", "Fan"},
                                                              {"Sensors", "Sensor"},
                                                              {"Memory", "Memory"},
                                                              {"Drives", "Drive"},
                                                              {"Processors", "Processor"},
                                                              {"Storage", "Storage"},
                                                              {"Chassis", "Chassis"},
                                                              {"Systems", "ComputerSystem"},
                                                              {"Managers", "Manager"},
                                                              {"LogServices", "LogService"}};
  std::map<std::string, std::string> out;
  const auto note = [&](const std::string& uri, const char* kind) {
    if (documents.contains(uri)) out[uri] = kind;
  };
  std::set<std::pair<std::string, std::string>> visited;  // kind and page: pages may form circles
  for (const auto& [from, doc] : documents) {
    for (const char* name : kSingle) note(link(doc.body, name), name);
    for (const auto& [name, kind] : kMembers) {
      std::string page = link(doc.body, name);
      while (!page.empty() && visited.emplace(kind, page).second) {
        const auto collection = documents.find(page);
        if (collection == documents.end()) break;
        for (const std::string& uri : links(collection->second.body, "Members")) note(uri, kind);
        page = text(collection->second.body, "Members@odata.nextLink");
      }
    }
    for (const char* path : {"Drives", "Links/Drives"})
      for (const std::string& uri : links(doc.body, path)) note(uri, "Drive");
  }
  return out;
}

void set(json& properties, const char* name, const std::string& value) {
  if (!value.empty()) properties[name] = value;
}

json resource(const std::string& fmri, const std::string& type) {
  return {{"fmri", fmri}, {"type", type}, {"properties", json::object()}, {"edges", json::array()}};
}

// A short, stable name: the URI below /redfish/v1/, "Chassis.1.PowerSupplies.0".
std::string name_of(const std::string& uri) {
  constexpr std::string_view kRoot = "/redfish/v1/";
  std::string name = uri.starts_with(kRoot) ? uri.substr(kRoot.size()) : uri;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '#'; }, '.');
  while (name.ends_with('.')) name.pop_back();
  return name;
}

std::string label_of(const json& doc, const std::string& uri) {
  // HPE's iLO 4 has "FanName", of the first version of the schema, and no "Name".
  for (const char* path : {"PhysicalLocation/PartLocation/ServiceLabel",
                           "Location/PartLocation/ServiceLabel", "Name", "FanName"})
    if (std::string found = text(doc, path); !found.empty()) return found;
  return name_of(uri);
}

// HPE's iLO gives the bay numbers of supplies and fans only in its Oem part.
std::optional<int64_t> bay_of(const json& doc) {
  for (const char* path : {"Oem/Hpe/BayNumber", "Oem/Hp/BayNumber",
                           "PhysicalLocation/PartLocation/LocationOrdinalValue",
                           "Location/PartLocation/LocationOrdinalValue"})
    if (const json& number = at(doc, path); number.is_number_integer())
      return number.get<int64_t>();
  return std::nullopt;
}

void tell_apart(std::map<std::string, json>& resources,
                const std::map<std::string, int64_t>& bays) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> alike;
  for (const auto& [fmri, one] : resources)
    if (one["properties"].contains("label"))
      alike[{text(one, "type"), text(one, "properties/label")}].push_back(fmri);
  for (const auto& [name, parts] : alike) {
    if (parts.size() < 2) continue;
    std::set<int64_t> numbers;
    for (const std::string& fmri : parts)
      if (const auto bay = bays.find(fmri); bay != bays.end()) numbers.insert(bay->second);
    for (const std::string& fmri : parts) {
      json& properties = resources[fmri]["properties"];
      const std::string uri = properties.value("redfish", "");
      properties["label"] =
          name.second + (numbers.size() == parts.size() ? ", bay " + std::to_string(bays.at(fmri))
                                                        : " (" + name_of(uri) + ")");
    }
  }
}

void set_identity(const json& doc, json& properties) {
  constexpr std::pair<const char*, const char*> kNames[] = {{"manufacturer", "Manufacturer"},
                                                            {"model", "Model"},
                                                            {"part_number", "PartNumber"},
                                                            {"serial", "SerialNumber"}};
  for (const auto& [name, member] : kNames)
    if (const std::string value = text(doc, member); !hardware::is_nobodys_text(value))
      set(properties, name, value);
}

void drop_shared_serials(std::map<std::string, json>& resources) {
  std::map<std::string, int> parts;
  const auto serial_of = [](const json& one) {
    const bool is_part = one["type"] == "psu" || one["type"] == "fan";
    return is_part ? text(one, "properties/serial") : "";
  };
  for (const auto& [fmri, one] : resources) ++parts[serial_of(one)];
  parts.erase("");
  for (auto& [fmri, one] : resources)
    if (const auto same = parts.find(serial_of(one)); same != parts.end() && same->second > 1)
      one["properties"].erase("serial");
}

bool reads_no_input(const json& supply, const Health& health) {
  const json& volts = at(supply, "LineInputVoltage");
  return health.bad() && volts.is_number() && volts.get<double>() == 0;
}

bool is_too_hot(const json& processor) {
  const json& causes = at(processor, "ThrottleCauses");
  return truth(processor, "Throttled") && causes.is_array() &&
         std::find(causes.begin(), causes.end(), "ThermalLimit") != causes.end();
}

std::string disk_fmri(const json& doc) {
  const json& identifiers = at(doc, "Identifiers");
  if (identifiers.is_array())
    for (const json& one : identifiers) {
      const std::string format = text(one, "DurableNameFormat");
      std::string name = text(one, "DurableName");
      if (format != "NAA" && format != "EUI") continue;
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return static_cast<char>(tolower(c)); });
      for (const std::string_view start : {"naa.", "eui.", "0x"})
        if (name.starts_with(start)) name.erase(0, start.size());
      if (!name.empty() && name.find_first_not_of("0123456789abcdef") == name.npos)
        return make_fmri("dev", {{"wwn", name}});
    }
  const std::string serial = text(doc, "SerialNumber"), model = text(doc, "Model");
  // SATA and NVMe have at most 40 and 20 characters.
  const bool plausible = !serial.empty() && serial.size() + model.size() <= 200;
  return plausible ? make_fmri("dev", {{"serial", model + ":" + serial}}) : "";
}

}  // namespace fmd::redfish
