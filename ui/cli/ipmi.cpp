// fmadm ipmi: the BMC's sensors, and how each is read.
#include <fmt/format.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "fmd/base/natural_less.h"
#include "ui/cli/commands.h"
#include "ui/cli/daemon.h"
#include "ui/cli/layout.h"

namespace fmd::cli {
namespace {

using nlohmann::json;

constexpr const char* kNone =
    "No BMC is known. fmd-ipmi reports it; check the plugin with: fmadm config\n";

bool is_of_bmc(const Resource& resource) {
  return resource.present && (resource.type == "bmc" ||
                              (resource.type == "sensor" && resource.is("observed_by", "bmc")));
}

std::string unit_of(const std::string& unit) {
  if (unit == "celsius") return " C";
  if (unit == "volts") return " V";
  if (unit == "amps") return " A";
  if (unit == "watts") return " W";
  if (unit == "percent") return " %";
  return unit.empty() ? "" : " " + unit;
}

// "discrete 0x61": kind of reading and sensor number.
std::string way_of(const Resource& sensor) {
  const std::string number = sensor.get("sensor_number"), reading = sensor.get("reading");
  return number.empty() ? reading : fmt::format("{} {}", reading, number);
}

std::string says_of(const Resource& sensor) {
  std::string says = sensor.get("reason");
  if (const std::string why = sensor.get("explained_by"); !why.empty())
    says += fmt::format("{}because of {}", says.empty() ? "" : ", ", why);
  return says.empty() ? "-" : says;
}

std::string head_of(const Resource& bmc) {
  std::string text = bmc.get("state");
  if (const std::string reason = bmc.get("reason"); !reason.empty()) text += " (" + reason + ")";
  if (const std::string firmware = bmc.get("firmware"); !firmware.empty())
    text += ", firmware " + firmware;
  if (const std::string entries = bmc.get("log_entries"); !entries.empty())
    text += fmt::format(", event log {} % full ({} entries)", bmc.get("log_used_percent"), entries);
  return wrapped("BMC: ", clean_prose(text), 5);
}

std::string table_of(std::vector<const Resource*> sensors) {
  std::sort(sensors.begin(), sensors.end(), [](const Resource* a, const Resource* b) {
    return natural_less(a->get("label"), b->get("label"));
  });
  Table table({"SENSOR", "VALUE", "LEVEL", "READ AS", "SAYS"});
  for (const Resource* sensor : sensors) {
    const std::string value = sensor->get("value"), level = sensor->get("level");
    table.add({sensor->get("label"), value.empty() ? "-" : value + unit_of(sensor->get("unit")),
               level.empty() ? "-" : level, way_of(*sensor), says_of(*sensor)});
  }
  return table.empty() ? "" : table.text();
}

}  // namespace

Result<void> ipmi(Client& client, bool as_json) {
  const auto inventory = fetch_inventory(client);
  if (!inventory) return tl::unexpected(inventory.error());
  std::string heads;
  std::vector<const Resource*> sensors;
  json docs = json::array();
  for (const auto& [fmri, resource] : inventory->all()) {
    if (!is_of_bmc(resource)) continue;
    docs.push_back(Inventory::to_json(resource));
    if (resource.type == "bmc")
      heads += head_of(resource);
    else
      sensors.push_back(&resource);
  }
  if (as_json) return print(json_text(docs));
  if (heads.empty()) return print(kNone);
  return print(heads + table_of(std::move(sensors)));
}

}  // namespace fmd::cli
