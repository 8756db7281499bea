// Resources from documents, with the properties of plugins/ipmi.
#include "plugins/redfish/parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <functional>

#include "plugins/redfish/tests/documents_fixture.h"

namespace fmd::redfish {
namespace {

using nlohmann::json;
using namespace testing;

class RedfishParts : public ::testing::Test {
 protected:
  RedfishParts() {
    service_.system = "host";
    hardware::MemoryModule module;
    module.locator = "DIMM_A1";
    service_.dimms = hardware::DimmNames({module});
  }
  Told told() const { return describe(service_, documents_); }
  json of(const std::string& uri, const std::string& property) const {
    const Told now = told();
    const auto part = now.part_of.find(uri);
    if (part == now.part_of.end()) return "no part";
    const auto found = now.resources.find(part->second);
    return found == now.resources.end() ? json("no resource")
                                        : found->second["properties"].value(property, json());
  }
  void status(const std::string& uri, const json& now) { documents_[uri].body["Status"] = now; }
  void health(const std::string& uri, const std::string& now) {
    status(uri, {{"State", "Enabled"}, {"Health", now}});
  }
  json power(const std::string& property) const {
    return told().resources.at("hc://system=host/power=redfish")["properties"].value(property,
                                                                                     json());
  }

  Service service_;
  Documents documents_ = small_server();
};

TEST_F(RedfishParts, AWellMachine) {
  EXPECT_EQ(of(kSupply1, "status"), "OK");
  EXPECT_EQ(of(kSupply1, "ac"), "ok");
  EXPECT_EQ(of(kSupply1, "serial"), "P1");
  EXPECT_EQ(of(kFan, "status"), "OK");
  EXPECT_EQ(of(kInlet, "level"), "nominal");
  EXPECT_EQ(of(kInlet, "kind"), "temperature");
  EXPECT_EQ(power("input"), "ok");
  const Told now = told();
  ASSERT_EQ(now.readings.size(), 1U);
  EXPECT_EQ(now.readings[0]["value"], 24);
  EXPECT_EQ(now.resources.at(bmc_fmri("host"))["properties"]["state"], "observed");
}

// Cisco's schema names, and a supply without a type.
TEST_F(RedfishParts, ALinkSaysWhatADocumentIsWhateverItsSchemaIsCalled) {
  const std::string power = kChassis + "/Power", supply = power + "#/PowerSupplies/0";
  documents_[kChassis].body["Power"] = {{"@odata.id", power}};
  documents_[power] = {{{"@odata.id", power},
                        {"@odata.type", "#Cisco_Power"},
                        {"PowerSupplies",
                         {{{"@odata.id", supply},
                           {"Name", "PSU 4"},
                           {"Status", {{"State", "Enabled"}, {"Health", "Critical"}}}}}}},
                       ""};
  EXPECT_EQ(of(supply, "status"), "critical");
  const std::string modules = "/redfish/v1/Systems/1/Memory", module = modules + "/Z9";
  documents_["/redfish/v1/Systems/1"] = {{{"Memory", {{"@odata.id", modules}}}}, ""};
  documents_[modules] = {{{"Members", {{{"@odata.id", module}}}}}, ""};
  documents_[module] = {{{"Name", "Z9"}, {"Status", {{"State", "Enabled"}, {"Health", "OK"}}}}, ""};
  EXPECT_NE(of(module, "label"), "no part");
}

TEST_F(RedfishParts, TheBmcIsTheWayToWhatItReads) {
  Told now = told();
  std::vector<std::string> led_to;
  for (const json& edge : now.resources.at(bmc_fmri("host"))["edges"]) {
    EXPECT_EQ(edge["relation"], "path");
    led_to.push_back(edge["to"]);
  }
  for (const auto& [fmri, one] : now.resources) {
    const std::string type = one["type"];
    EXPECT_EQ(std::count(led_to.begin(), led_to.end(), fmri),
              type == "sensor" || type == "fan" || type == "psu")
        << fmri;
  }
}

TEST_F(RedfishParts, EachHealthOfASupply) {
  health(kSupply1, "Critical");
  EXPECT_EQ(of(kSupply1, "status"), "critical");
  EXPECT_EQ(of(kSupply1, "reason"), "its health is Critical");
  health(kSupply1, "Warning");
  EXPECT_EQ(of(kSupply1, "status"), "non-critical");
  status(kSupply1, {{"State", "Absent"}});
  EXPECT_EQ(of(kSupply1, "status"), "not installed");
  EXPECT_EQ(of(kSupply1, "ac"), json());
  status(kSupply1, {{"State", "StandbySpare"}, {"Health", "OK"}});
  EXPECT_EQ(of(kSupply1, "status"), "OK") << "it works, and waits";
  EXPECT_EQ(of(kSupply1, "standby"), true);
  status(kSupply1, {{"State", "Disabled"}, {"Health", "Critical"}});
  EXPECT_EQ(of(kSupply1, "status"), "critical") << "disabled because it has failed";
  for (const json& well : {json("OK"), json()}) {
    status(kSupply1, {{"State", "Disabled"}, {"Health", well}});
    EXPECT_EQ(of(kSupply1, "status"), "OK") << "somebody switched it off";
  }
  status(kSupply1, json::object());
  EXPECT_EQ(of(kSupply1, "status"), "unknown");
  status(kSupply1, "garbage");
  EXPECT_EQ(of(kSupply1, "status"), "unknown");
}

TEST_F(RedfishParts, InputLostIsTheFeedsOnAllTheRooms) {
  health(kSupply1, "Critical");
  documents_[kSupply1].body["LineInputStatus"] = "LossOfInput";
  EXPECT_EQ(of(kSupply1, "status"), "non-critical") << "not broken";
  EXPECT_EQ(of(kSupply1, "ac"), "lost");
  EXPECT_EQ(of(kSupply1, "feed"), "own");
  EXPECT_EQ(power("input"), "some");
  documents_[kSupply1].body["LineInputStatus"] = "OutOfRange";
  EXPECT_EQ(of(kSupply1, "status"), "critical") << "it has power, and says that it failed";
  health(kSupply1, "OK");
  EXPECT_EQ(of(kSupply1, "status"), "non-critical");
  documents_[kSupply1].body["LineInputStatus"] = "LossOfInput";
  documents_[kSupply2].body["LineInputStatus"] = "LossOfInput";
  EXPECT_EQ(power("input"), "none");
  EXPECT_EQ(of(kSupply2, "feed"), "all");
}

TEST_F(RedfishParts, AConditionIsItsOriginsWhereverItStands) {
  status(kChassis, {{"State", "Enabled"},
                    {"Health", "Critical"},
                    {"Conditions",
                     {{{"MessageId", "Environmental.1.0.FanFailed"},
                       {"Severity", "Critical"},
                       {"Message", "Fan 1 has failed."},
                       {"OriginOfCondition", {{"@odata.id", kFan}}}}}}});
  EXPECT_EQ(of(kFan, "status"), "critical");
  EXPECT_EQ(of(kFan, "reason"), "Fan 1 has failed.");
  EXPECT_EQ(of(kChassis, "level"), "no part") << "its health is the fan's";
  EXPECT_EQ(of(kInlet, "explained_by"), "Fan 1");
}

TEST_F(RedfishParts, AChassisOwnConditionIsItsOwn) {
  status(kChassis, {{"State", "Enabled"},
                    {"Health", "Warning"},
                    {"Conditions",
                     {{{"MessageId", "X"}, {"Severity", "Warning"}, {"Message", "Lid open"}}}}});
  EXPECT_EQ(of(kChassis, "level"), "warning");
  EXPECT_EQ(of(kChassis, "reason"), "Lid open");
}

TEST_F(RedfishParts, AForecastIsNoFailure) {
  status(kSupply1,
         {{"State", "Enabled"},
          {"Health", "Critical"},
          {"Conditions",
           {{{"MessageId", "Power.1.0.SupplyPredictedFailure"}, {"Severity", "Critical"}}}}});
  EXPECT_EQ(of(kSupply1, "predicted"), true);
  EXPECT_EQ(of(kSupply1, "status"), "non-critical");
}

TEST_F(RedfishParts, ABayWithItsDiskAndLight) {
  EXPECT_EQ(of(kDrive, "bmc.state"), "ok");
  EXPECT_EQ(of(kDrive, "label"), "Bay 1");
  EXPECT_EQ(of(kDrive, "led.locate"), "off");
  Told now = told();
  const std::string bay = now.part_of.at(kDrive);
  EXPECT_EQ(now.resources[bay]["edges"],
            json({{{"relation", "contains"}, {"to", "dev://wwn=5000c500a0000003"}}}));
  EXPECT_EQ(now.drive_of.at(bay), kDrive);
  documents_[kDrive].body["FailurePredicted"] = true;
  EXPECT_EQ(of(kDrive, "bmc.state"), "predicted");
  health(kDrive, "Critical");
  EXPECT_EQ(of(kDrive, "bmc.state"), "failed");
  status(kDrive, {{"State", "Absent"}});
  EXPECT_EQ(of(kDrive, "bmc.state"), "empty");
  service_.bays = false;
  EXPECT_EQ(of(kDrive, "bmc.state"), "no part");
}

TEST_F(RedfishParts, ADiskWithoutAWideNameIsItsSerialNumber) {
  documents_[kDrive].body.erase("Identifiers");
  Told now = told();
  EXPECT_EQ(now.resources[now.part_of.at(kDrive)]["edges"][0]["to"], "dev://serial=ST4000:D1");
}

TEST_F(RedfishParts, AModuleIsTheOneThatSmbiosKnows) {
  EXPECT_EQ(told().part_of.at(kModule), "mem://dimm=DIMM_A1");
  documents_[kModule].body.erase("Status");
  EXPECT_EQ(told().part_of.at(kModule), "mem://dimm=DIMM_A1") << "its entries, still";
}

// The module or processor is the replaceable part, so it contains the sensor of its health.
TEST_F(RedfishParts, HealthOfAModuleOrProcessorIsThatParts) {
  service_.processors = {"CPU1", "CPU2"};
  const std::string cpu = "/redfish/v1/Systems/1/Processors/2", gpu = cpu + "G";
  documents_[cpu] = {named("Processor", cpu, "Processor"), ""};
  documents_[cpu].body["Socket"] = "CPU 2";
  documents_[gpu] = {named("Processor", gpu, "CPU2"), ""};
  documents_[gpu].body["ProcessorType"] = "GPU";
  const Told now = told();
  const auto held_by = [&](const std::string& holder) {
    const auto at = now.resources.find(holder);
    return at == now.resources.end() ? json() : at->second["edges"][0]["to"];
  };
  const std::string module = "hc://system=host/sensor=redfish-Systems.1.Memory.A1",
                    processor = "hc://system=host/sensor=redfish-Systems.1.Processors.2";
  EXPECT_EQ(held_by("mem://dimm=DIMM_A1"), module);
  EXPECT_EQ(now.resources.at("mem://dimm=DIMM_A1")["type"], "dimm");
  EXPECT_EQ(now.resources.at(module)["properties"]["kind"], "memory");
  EXPECT_EQ(held_by("cpu://socket=1"), processor);
  EXPECT_EQ(now.resources.at(processor)["properties"]["kind"], "processor");
  EXPECT_EQ(now.resources.at(processor)["properties"]["part"], "cpu://socket=1");
  EXPECT_EQ(now.part_of.at(cpu), "cpu://socket=1");
  EXPECT_EQ(now.part_of.at(gpu), processor + "G") << "an accelerator is its own";
}

// Ten minutes, as with IPMI.
TEST_F(RedfishParts, HeatOutlastsTheFanThatFailed) {
  hardware::FailedFan fan;
  service_.failed_fan = &fan;
  service_.now = std::chrono::steady_clock::time_point(std::chrono::hours(1));
  health(kFan, "Critical");
  health(kInlet, "Critical");
  EXPECT_EQ(of(kInlet, "explained_by"), "Fan 1");
  health(kFan, "OK");
  service_.now += std::chrono::minutes(9);
  EXPECT_EQ(of(kInlet, "explained"), true) << "the fan is back, the heat is there still";
  service_.now += std::chrono::minutes(1);
  EXPECT_EQ(of(kInlet, "explained"), false);
}

TEST_F(RedfishParts, OlderPowerAndThermal) {
  const std::string thermal = kChassis + "/Thermal", supplies = kChassis + "/Power";
  documents_.erase(kFan);
  documents_[thermal] = {named("Thermal", thermal, "Thermal"), ""};
  documents_[thermal].body["Fans"] = {
      {{"Name", "FAN A"}, {"Status", {{"State", "Enabled"}, {"Health", "Critical"}}}}};
  documents_[thermal].body["Temperatures"] = {{{"@odata.id", thermal + "#/Temperatures/0"},
                                               {"Name", "CPU"},
                                               {"ReadingCelsius", 70.5},
                                               {"Status", {{"Health", "Warning"}}}}};
  EXPECT_EQ(of(thermal + "#/Fans/0", "status"), "critical");
  EXPECT_EQ(of(thermal + "#/Temperatures/0", "level"), "warning");
  EXPECT_EQ(of(thermal + "#/Temperatures/0", "explained"), true);
}

TEST_F(RedfishParts, ASupplyThatWasTakenOut) {
  EXPECT_EQ(of(kSupply1, "was_installed"), json());
  hardware::FmriMemory seen;
  service_.parts = &seen;
  told();
  status(kSupply1, {{"State", "Absent"}});
  EXPECT_EQ(of(kSupply1, "status"), "not installed");
  EXPECT_EQ(of(kSupply1, "was_installed"), true);
  EXPECT_EQ(of(kFan, "was_installed"), true);
}

// Redundancy groups of the present subsystems and the older resources; the worst one counts.
TEST_F(RedfishParts, RedundancyOfSuppliesAndFans) {
  EXPECT_EQ(power("redundancy"), json());
  const std::string today = kChassis + "/PowerSubsystem", older = kChassis + "/Power",
                    thermal = kChassis + "/ThermalSubsystem";
  documents_[today] = {named("PowerSubsystem", today, "Power"), ""};
  documents_[today].body["PowerSupplyRedundancy"] = {
      {{"RedundancyType", "NPlusM"}, {"Status", {{"State", "Enabled"}, {"Health", "OK"}}}}};
  EXPECT_EQ(power("redundancy"), "full");
  documents_[older] = {named("Power", older, "Power"), ""};
  documents_[older].body["Redundancy"] = {
      {{"Mode", "N+m"}, {"Status", {{"State", "Enabled"}, {"Health", "Critical"}}}}};
  EXPECT_EQ(power("redundancy"), "lost");
  EXPECT_EQ(power("explained"), false);
  documents_[thermal] = {named("ThermalSubsystem", thermal, "Thermal"), ""};
  documents_[thermal].body["FanRedundancy"] = {
      {{"@odata.id", thermal + "#/FanRedundancy/0"}, {"Status", {{"Health", "Critical"}}}}};
  EXPECT_EQ(of(thermal + "#/FanRedundancy/0", "kind"), "redundancy");
  EXPECT_EQ(of(thermal + "#/FanRedundancy/0", "sensor_type"), "fan");
  EXPECT_EQ(of(thermal + "#/FanRedundancy/0", "level"), "critical");
  EXPECT_EQ(of(thermal + "#/FanRedundancy/0", "explained"), false);
  health(kFan, "Critical");
  EXPECT_EQ(of(thermal + "#/FanRedundancy/0", "explained"), true);
}

TEST_F(RedfishParts, AProcessorThatIsTooHotAndOneThatSavesPower) {
  const std::string cpu = "/redfish/v1/Systems/1/Processors/CPU1";
  documents_[cpu] = {named("Processor", cpu, "CPU 1"), ""};
  health(cpu, "OK");
  documents_[cpu].body["Throttled"] = true;
  documents_[cpu].body["ThrottleCauses"] = {"PowerLimit"};
  EXPECT_EQ(of(cpu, "condition"), "");
  documents_[cpu].body["ThrottleCauses"] = {"PowerLimit", "ThermalLimit"};
  EXPECT_EQ(of(cpu, "condition"), "processor.throttled");
  service_.state = "silent";
  EXPECT_EQ(of(cpu, "condition"), json());
}

// A log that drops its oldest entries never becomes full.
TEST_F(RedfishParts, ALogThatIsNearlyFull) {
  const auto used = [this] {
    return told().resources.at(bmc_fmri("host"))["properties"].value("log_used_percent", json());
  };
  const std::string log = "/redfish/v1/Systems/1/LogServices/SEL", entries = log + "/Entries";
  documents_[log] = {named("LogService", log, "SEL"), ""};
  documents_[log].body["Entries"] = {{"@odata.id", entries}};
  documents_[log].body["MaxNumberOfRecords"] = 1000;
  documents_[entries].body["Members@odata.count"] = 850;
  documents_[log].body["OverWritePolicy"] = "WrapsWhenFull";
  EXPECT_EQ(used(), json());
  documents_[log].body["OverWritePolicy"] = "NeverOverWrites";
  EXPECT_EQ(used(), 85);
}

TEST_F(RedfishParts, ASilentServiceKnowsNothing) {
  service_.state = "silent";
  health(kSupply1, "Critical");
  EXPECT_EQ(of(kSupply1, "status"), "unknown");
  EXPECT_EQ(of(kDrive, "bmc.state"), "unknown");
  EXPECT_EQ(of(kDrive, "led.locate"), json());
  EXPECT_TRUE(told().readings.empty());
}

double seconds_of(const std::function<void()>& work) {  // of this process
  const clock_t before = clock();
  work();
  return static_cast<double>(clock() - before) / CLOCKS_PER_SEC;
}

// The plugin's watchdog would end it after 60 s.
TEST_F(RedfishParts, PagesInACircleAreReadOnce) {
  json members = json::array();
  const std::string page = "/redfish/v1/Chassis/1/Sensors";
  for (int i = 0; i < 20000; ++i) members.push_back({{"@odata.id", kInlet}});
  documents_[page].body = {{"Members", members}, {"Members@odata.nextLink", page}};
  for (int i = 0; i < 20; ++i) {
    json doc = named("Sensor", page + "/" + std::to_string(i), "x");
    for (const char* name : {"Sensors", "Fans", "Memory", "Drives", "Processors"})
      doc[name] = {{"@odata.id", page}};
    documents_[page + "/" + std::to_string(i)].body = doc;
  }
  Told now;
  EXPECT_LT(seconds_of([&] { now = told(); }), 10);
  EXPECT_TRUE(now.part_of.contains(kInlet));
}

TEST_F(RedfishParts, OneDocumentWithAnyNumberOfPartsAndReasons) {
  json sensors = json::array(), conditions = json::array();
  for (int i = 0; i < 100000; ++i) sensors.push_back({{"Name", "T" + std::to_string(i)}});
  for (int i = 0; i < 20000; ++i)
    conditions.push_back({{"Severity", "Critical"}, {"Message", "m" + std::to_string(i)}});
  documents_["/redfish/v1/Chassis/1/Thermal"].body = {
      {"@odata.type", "#Thermal.v1_7_0.Thermal"},
      {"Temperatures", sensors},
      {"Fans", {{{"Name", std::string(3 << 20, 'f')}, {"Status", {{"Conditions", conditions}}}}}}};
  Told now;
  EXPECT_LT(seconds_of([&] { now = told(); }), 10);
  EXPECT_TRUE(now.too_many);
  EXPECT_LE(now.resources.size(), Told::kMostParts + 20);
  EXPECT_LE(now.readings.size(), Told::kMostParts + 20);
  EXPECT_TRUE(now.resources.contains(bmc_fmri(service_.system)));
  for (const auto& [fmri, one] : now.resources)
    EXPECT_LT(one["properties"].dump().size(), 8u << 10) << fmri;
}

TEST_F(RedfishParts, PartsThatAreOthersEachTimeDoNotFillTheMemory) {
  hardware::FmriMemory seen;
  for (int i = 0; i < 12000; ++i) seen.insert("installed", "hc://psu=" + std::to_string(i));
  EXPECT_TRUE(seen.contains("installed", "hc://psu=9999"));
  EXPECT_FALSE(seen.contains("installed", "hc://psu=10000"));
}

TEST_F(RedfishParts, AnyMemberMayBeAnything) {
  const json odd[] = {nullptr,       7, "x", json::array(), json::array({1, "a", nullptr}),
                      json::object()};
  for (auto& [uri, doc] : small_server())
    for (const auto& [member, value] : doc.body.items())
      for (const json& one : odd) {
        documents_ = small_server();
        documents_[uri].body[member] = one;
        EXPECT_FALSE(told().resources.empty()) << uri << " " << member;
      }
}

}  // namespace
}  // namespace fmd::redfish
