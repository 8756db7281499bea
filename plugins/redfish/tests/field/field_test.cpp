// Documents of BMCs with vendor-specific schema names, through the plugin and the shipped rules to
// the cases.
#include <gtest/gtest.h>

#include <algorithm>

#include "fmd/base/json.h"
#include "plugins/redfish/parts.h"
#include "tests/lib/told_cases.h"

namespace fmd::redfish::testing {
namespace {

using nlohmann::json;
using Cases = std::vector<std::string>;

constexpr int64_t kNow = 1'800'000'000'000'000'000;

json well(const std::string& name) {
  return {{"Name", name}, {"Status", {{"State", "Enabled"}, {"Health", "OK"}}}};
}

// A chassis with supplies in its Power document, with that type and health.
Cases cases_of(const std::string& type, const std::string& member, const std::string& health) {
  const std::string chassis = "/redfish/v1/Chassis/1", power = chassis + "/Power";
  Service service;
  service.system = "host";
  Documents documents;
  ToldCases told;
  const auto tell = [&] {
    json resources = json::array();
    for (const auto& [fmri, one] : describe(service, documents).resources) {
      json resource = one;
      resource["present"] = true;
      resources.push_back(std::move(resource));
    }
    const json params{{"complete", false}, {"resources", resources}, {"gone", json::array()}};
    told.hear("redfish", {{"method", "inventory"}, {"params", params}}, kNow);
  };
  documents["/redfish/v1"] = {{{"Chassis", {{"@odata.id", "/redfish/v1/Chassis"}}}}, ""};
  documents["/redfish/v1/Chassis"] = {{{"Members", {{{"@odata.id", chassis}}}}}, ""};
  documents[chassis] = {{{"@odata.id", chassis},
                         {"@odata.type", "#Chassis.v1_5_0.Chassis"},
                         {"Name", "Chassis"},
                         {"Power", {{"@odata.id", power}}}},
                        ""};
  json parts = json::array({well("Part 1"), well("Part 2")});
  for (size_t i = 0; i < 2; ++i)
    parts[i]["@odata.id"] = power + "#/" + member + "/" + std::to_string(i);
  const auto give = [&] {
    json document{{"@odata.id", power}, {member, parts}};
    if (!type.empty()) document["@odata.type"] = type;
    documents[power] = {document, ""};
    tell();
  };
  give();
  parts[1]["Status"]["Health"] = health;
  give();
  told.wait(2);
  Cases found = told.cases();
  for (std::string& one : found) one.resize(one.find(" hc://"));
  return found;
}

TEST(RedfishField, TheLinkSaysWhatADocumentIs) {
  for (const char* type :
       {"#Cisco_Power", "#Power.v1_7_1.Power", "#AcmePower.v0_1.AcmePower", ""}) {
    EXPECT_EQ(cases_of(type, "PowerSupplies", "Critical"),
              Cases{"Critical fault.chassis.device.psu.fail"})
        << type;
    EXPECT_EQ(cases_of(type, "PowerSupplies", "OK"), Cases()) << type;
  }
}

// A chassis with the older schemas, as in HPE's iLO 4 and 5, Dell's iDRAC, Supermicro and Lenovo.
struct Power {
  std::string system = "host";
  json parts = json::array(), fans = json::array(), redundancy = json::array();
  ToldCases told;

  json& supply(const std::string& name, const json& more = json::object()) {
    json one = well(name);
    one["@odata.id"] = "/redfish/v1/Chassis/1/Power#/PowerSupplies/" + std::to_string(parts.size());
    one["MemberId"] = std::to_string(parts.size());
    one.update(more);
    parts.push_back(one);
    return parts.back();
  }
  Resources resources() {
    Service service;
    service.system = system;
    Documents documents;
    documents["/redfish/v1/Chassis/1/Power"] = {{{"@odata.type", "#Power.v1_3_0.Power"},
                                                 {"PowerSupplies", parts},
                                                 {"Redundancy", redundancy}},
                                                ""};
    documents["/redfish/v1/Chassis/1/Thermal"] = {
        {{"@odata.type", "#Thermal.v1_1_0.Thermal"}, {"Fans", fans}}, ""};
    return describe(service, documents).resources;
  }
  std::vector<std::string> labels(const std::string& type) {
    std::vector<std::string> out;
    for (const auto& [fmri, one] : resources())
      if (one["type"] == type) out.push_back(one["properties"]["label"]);
    std::sort(out.begin(), out.end());
    return out;
  }
  void tell() {
    json all = json::array();
    for (auto [fmri, one] : resources()) {
      one["present"] = true;
      all.push_back(std::move(one));
    }
    const json params{{"complete", false}, {"resources", all}, {"gone", json::array()}};
    told.hear("redfish", {{"method", "inventory"}, {"params", params}}, kNow);
  }
  // The text of the case. The parts must have been healthy first.
  std::string description() {
    told.wait(2);
    EXPECT_EQ(told.cases().size(), 1u);
    return told.documents().empty() ? "" : told.documents().front().description;
  }
};

// iLO gives all supplies the same name; the bay number is in HPE's Oem part.
TEST(RedfishField, PartsOfOneName) {
  Power ilo;
  for (const int bay : {1, 2})
    ilo.supply("HpeServerPowerSupply", {{"Oem", {{"Hpe", {{"BayNumber", bay}}}}}});
  EXPECT_EQ(ilo.labels("psu"),
            (Cases{"HpeServerPowerSupply, bay 1", "HpeServerPowerSupply, bay 2"}));
  ilo.tell();
  ilo.parts[1]["Status"]["Health"] = "Critical";
  ilo.tell();
  EXPECT_NE(ilo.description().find("HpeServerPowerSupply, bay 2"), std::string::npos)
      << ilo.description();

  Power unnumbered;
  for (int i = 0; i < 2; ++i) unnumbered.supply("Power Supply");
  EXPECT_EQ(unnumbered.labels("psu"), (Cases{"Power Supply (Chassis.1.Power..PowerSupplies.0)",
                                             "Power Supply (Chassis.1.Power..PowerSupplies.1)"}));

  Power named;
  for (const char* name : {"PS1 Status", "PS2 Status"}) named.supply(name);
  named.fans = json::array({well("Fan 1A"), well("Fan 1B")});
  EXPECT_EQ(named.labels("psu"), (Cases{"PS1 Status", "PS2 Status"}));
  EXPECT_EQ(named.labels("fan"), (Cases{"Fan 1A", "Fan 1B"}));
}

// iLO 4 numbers its fans from 1, by the name that the schema had first; the position in the array begins with 0.
TEST(RedfishField, FansOfTheFirstSchema) {
  Power ilo;
  for (const int number : {1, 2, 3})
    ilo.fans.push_back({{"CurrentReading", 16},
                        {"FanName", "Fan " + std::to_string(number)},
                        {"Units", "Percent"},
                        {"Oem", {{"Hp", {{"Location", "System"}}}}},
                        {"Status", {{"Health", "OK"}, {"State", "Enabled"}}}});
  EXPECT_EQ(ilo.labels("fan"), (Cases{"Fan 1", "Fan 2", "Fan 3"}));
  ilo.tell();
  ilo.fans[1]["Status"]["Health"] = "Critical";
  ilo.tell();
  EXPECT_NE(ilo.description().find("Fan 2"), std::string::npos) << ilo.description();
}

// The older schema has no status of the input, only its voltage.
TEST(RedfishField, ASupplyWithoutInputInTheOlderSchema) {
  const auto cases = [](const json& volts, const char* health) {
    Power power;
    power.supply("PS1 Status", {{"LineInputVoltage", 230}});
    json& second = power.supply("PS2 Status", {{"LineInputVoltage", 231.5}});
    power.tell();
    second["LineInputVoltage"] = volts;
    second["Status"]["Health"] = health;
    power.tell();
    power.told.wait(2);
    Cases found = power.told.cases();
    for (std::string& one : found) one.resize(one.find(" hc://"));
    return found;
  };
  EXPECT_EQ(cases(0, "Critical"), Cases{"Major fault.chassis.device.psu.ac-fail"});
  EXPECT_EQ(cases(0.0, "Warning"), Cases{"Major fault.chassis.device.psu.ac-fail"});
  EXPECT_EQ(cases(nullptr, "Critical"), Cases{"Critical fault.chassis.device.psu.fail"});
  EXPECT_EQ(cases(229, "Critical"), Cases{"Critical fault.chassis.device.psu.fail"});
  EXPECT_EQ(cases(0, "OK"), Cases()) << "a field that is not filled in";
}

TEST(RedfishField, SerialNumbersThatTellNothingApart) {
  const auto serials = [](const std::string& first, const std::string& second) {
    Power power;
    power.supply("PS1", {{"SerialNumber", first}});
    power.supply("PS2", {{"SerialNumber", second}});
    Cases out;
    for (const auto& [fmri, one] : power.resources())
      if (one["type"] == "psu") out.push_back(one["properties"].value("serial", "none"));
    return out;
  };
  EXPECT_EQ(serials("5WBXU0D4DBC8ME", "5WBXU0D4DBC8MF"),
            (Cases{"5WBXU0D4DBC8ME", "5WBXU0D4DBC8MF"}));
  EXPECT_EQ(serials("PHARP0018R00XH", "PHARP0018R00XH"), (Cases{"none", "none"}));
  EXPECT_EQ(serials("N/A", "To be filled by O.E.M."), (Cases{"none", "none"}));
  EXPECT_EQ(serials("", "6CM9060F20"), (Cases{"none", "6CM9060F20"}));
}

// PowerSubsystem and ThermalSubsystem, as OpenBMC, iDRAC 9 and XCC2 have them: links to collections of parts.
struct Subsystems {
  Documents documents;
  ToldCases told;
  const std::string chassis;

  explicit Subsystems(const std::string& id) : chassis("/redfish/v1/Chassis/" + id) {
    documents["/redfish/v1"] = {{{"Chassis", {{"@odata.id", "/redfish/v1/Chassis"}}}}, ""};
    documents["/redfish/v1/Chassis"] = {{{"Members", {{{"@odata.id", chassis}}}}}, ""};
    documents[chassis] = {{{"@odata.type", "#Chassis.v1_22_0.Chassis"},
                           {"PowerSubsystem", {{"@odata.id", chassis + "/PowerSubsystem"}}},
                           {"ThermalSubsystem", {{"@odata.id", chassis + "/ThermalSubsystem"}}}},
                          ""};
  }
  void part(const std::string& subsystem, const std::string& collection, const std::string& id,
            const json& body) {
    const std::string above = chassis + "/" + subsystem, list = above + "/" + collection;
    documents[above].body[collection] = {{"@odata.id", list}};
    json& members = documents[list].body["Members"];
    const json one{{"@odata.id", list + "/" + id}};
    if (std::find(members.begin(), members.end(), one) == members.end()) members.push_back(one);
    documents[list + "/" + id] = {body, ""};
  }
  Cases cases() {
    Service service;
    service.system = "host";
    json all = json::array();
    for (auto [fmri, one] : describe(service, documents).resources) {
      one["present"] = true;
      all.push_back(std::move(one));
    }
    const json params{{"complete", false}, {"resources", all}, {"gone", json::array()}};
    told.hear("redfish", {{"method", "inventory"}, {"params", params}}, kNow);
    told.wait(2);
    Cases found = told.cases();
    for (std::string& one : found) one.resize(one.find(" hc://"));
    return found;
  }
};

// The older Thermal and Power list the sensors again that have documents of their own.
TEST(RedfishField, SensorsThatAreListedTwice) {
  const json hot{{"State", "Enabled"}, {"Health", "Critical"}};
  for (const bool own : {true, false}) {
    Service service;
    service.system = "host";
    Documents documents;
    documents["/redfish/v1/Chassis/1/Thermal"] = {
        {{"@odata.type", "#Thermal.v1_1_0.Thermal"},
         {"Temperatures", {{{"Name", "Inlet"}, {"MemberId", "0"}, {"Status", hot}}}}},
        ""};
    if (own)
      documents["/redfish/v1/Chassis/1/Sensors/inlet"] = {{{"@odata.type", "#Sensor.v1_2_0.Sensor"},
                                                           {"Name", "Inlet"},
                                                           {"ReadingType", "Temperature"},
                                                           {"Status", hot}},
                                                          ""};
    int sensors = 0;
    for (const auto& [fmri, one] : describe(service, documents).resources)
      sensors += one["type"] == "sensor";
    EXPECT_EQ(sensors, 1) << own;
  }
}

// Some services do not write the words of the schema as it does.
TEST(RedfishField, HealthInOtherLetters) {
  for (const char* bad : {"CRITICAL", "critical"})
    EXPECT_EQ(cases_of("#Power.v1_7_1.Power", "PowerSupplies", bad),
              Cases{"Critical fault.chassis.device.psu.fail"})
        << bad;
  for (const char* good : {"Ok", "ok", "OK"})
    EXPECT_EQ(cases_of("#Power.v1_7_1.Power", "PowerSupplies", good), Cases()) << good;
  Power power;
  power.supply("PSU1");
  power.supply("PSU2", {{"Status", {{"State", "absent"}, {"Health", "critical"}}}});
  power.tell();
  power.told.wait(2);
  EXPECT_EQ(power.told.cases(), Cases());
  int empty = 0;
  for (const auto& [fmri, one] : power.resources())
    empty += one["type"] == "psu" && one["properties"]["status"] == "not installed";
  EXPECT_EQ(empty, 1);
}

// A group that an administrator has switched off gives no redundancy, and has not lost it.
TEST(RedfishField, RedundancyThatIsSwitchedOff) {
  const auto redundancy = [](const json& group) {
    Power power;
    for (const char* name : {"PSU1", "PSU2"}) power.supply(name);
    power.redundancy = json::array({group});
    for (const auto& [fmri, one] : power.resources())
      if (one["type"] == "power") return one["properties"].value("redundancy", "none");
    return std::string();
  };
  const auto group = [](const json& status, const json& enabled) {
    return json{{"Name", "PSRedundancy"}, {"RedundancyEnabled", enabled}, {"Status", status}};
  };
  EXPECT_EQ(redundancy(group({{"State", "Enabled"}, {"Health", "OK"}}, true)), "full");
  EXPECT_EQ(redundancy(group({{"State", "Enabled"}, {"Health", "OK"}}, nullptr)), "full");
  EXPECT_EQ(redundancy(group({{"State", "Enabled"}, {"Health", "Critical"}}, true)), "lost");
  EXPECT_EQ(redundancy(group({{"State", "Disabled"}, {"Health", "OK"}}, true)), "none");
  EXPECT_EQ(redundancy(group({{"State", "Disabled"}}, nullptr)), "none");
  EXPECT_EQ(redundancy(group({{"State", "Enabled"}, {"Health", "OK"}}, false)), "none");
}

TEST(RedfishField, PartsOfSubsystems) {
  struct Row {
    const char *id, *type, *name;
    json status;
    const char* input;
    Cases expected;
  };
  const Cases broken{"Critical fault.chassis.device.psu.fail"},
      no_input{"Major fault.chassis.device.psu.ac-fail"};
  const json critical{{"State", "Enabled"}, {"Health", "Critical"}};
  for (const Row& row : std::initializer_list<Row>{
           {"System.Embedded.1", "#PowerSupply.v1_5_1.PowerSupply", "PS2 Status", critical,
            "Normal", broken},
           {"System.Embedded.1", "#PowerSupply.v1_5_1.PowerSupply", "PS2 Status", critical,
            "LossOfInput", no_input},
           {"chassis",
            "#PowerSupply.v1_5_0.PowerSupply",
            "powersupply1",
            {{"State", "UnavailableOffline"}, {"Health", nullptr}},
            "",
            broken},
           {"1", "#PowerSupply.v1_1_0.PowerSupply", "PSU2", critical, "", broken},
           {"1", "#Vendor_PSU", "PSU2", critical, "", broken},
           {"1",
            "#PowerSupply.v1_1_0.PowerSupply",
            "PSU2",
            {{"State", "Enabled"}, {"Health", nullptr}, {"HealthRollup", "Critical"}},
            "",
            broken},
           {"1",
            "#PowerSupply.v1_1_0.PowerSupply",
            "PSU2",
            {{"State", "Absent"}, {"HealthRollup", "Critical"}},
            "",
            {}},
           {"1",
            "#PowerSupply.v1_1_0.PowerSupply",
            "PSU2",
            {{"State", "Enabled"}, {"Health", "OK"}, {"HealthRollup", "Critical"}},
            "",
            {}},
           {"1",
            "#PowerSupply.v1_1_0.PowerSupply",
            "PSU2",
            {{"State", "Enabled"}, {"Health", "Warning"}},
            "",
            {"Minor fault.chassis.device.psu.warning"}},
           {"1", "#PowerSupply.v1_1_0.PowerSupply", "PSU2", {{"State", "Absent"}}, "", {}},
           {"1",
            "#PowerSupply.v1_1_0.PowerSupply",
            "PSU2",
            {{"State", "Enabled"}},
            "Normal",
            {}}}) {
    SCOPED_TRACE(row.status.dump() + row.type);
    Subsystems machine(row.id);
    for (const char* id : {"0", "1"})
      machine.part("PowerSubsystem", "PowerSupplies", id,
                   {{"@odata.type", row.type},
                    {"Name", std::string(row.name) + id},
                    {"Status", {{"State", "Enabled"}, {"Health", "OK"}}}});
    EXPECT_EQ(machine.cases(), Cases());
    json bad{{"@odata.type", row.type}, {"Name", row.name}, {"Status", row.status}};
    if (*row.input) bad["LineInputStatus"] = row.input;
    machine.part("PowerSubsystem", "PowerSupplies", "1", bad);
    EXPECT_EQ(machine.cases(), row.expected);
  }
  Subsystems fans("Self");
  for (const char* health : {"OK", "Critical"}) {
    fans.part("ThermalSubsystem", "Fans", "Fan_3",
              {{"@odata.type", "#Fan.v1_3_0.Fan"},
               {"Name", "SYS_FAN3"},
               {"Status", {{"State", "Enabled"}, {"Health", health}}}});
    EXPECT_EQ(fans.cases(),
              *health == 'O' ? Cases() : Cases{"Major fault.chassis.device.fan.fail"});
  }
}

}  // namespace
}  // namespace fmd::redfish::testing
