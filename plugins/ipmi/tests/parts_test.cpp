// Parts and events derived from sensors; the sensors are those of the recorded server.
#include "plugins/ipmi/parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "fmd/base/json.h"
#include "plugins/ipmi/news.h"
#include "plugins/ipmi/tests/ipmi_fixture.h"
#include "plugins/sdk/messages.h"

namespace fmd::ipmi::parts_test {
namespace {

using nlohmann::json;

constexpr const char* kSupply1 = "hc://chassis=host/psu=ipmi1";
constexpr const char* kSupply2 = "hc://chassis=host/psu=ipmi2";
constexpr const char* kFan1 = "hc://chassis=host/fan=ipmi1";
constexpr const char* kPower = "hc://system=host/power=0";

class PartsTest : public ::testing::Test {
 protected:
  Sdr sdr_ = parse_sdr(testing::fixture("small-server.sdr"));
  Watch watch_;
  Meaning meaning_ = testing::standard();
  std::map<int, FruText> frus_ = parse_frus(testing::fixture("fru.dump"));
  BmcFacts bmc_;
  Remembered remembered_;
  std::chrono::steady_clock::time_point now_{std::chrono::hours(1)};
  Owners owners_;
  Identify identify_;
  News news_;
  const std::string system_ = "host";

  void SetUp() override {
    owners_.system = system_;
    for (const Sensor& sensor : sdr_.sensors)
      if (!sensor.event_only) say(sensor.number, {true, 56, 0});
    for (const int supply : {0x61, 0x62}) say(supply, {true, 0, 1});
    say(0x70, {true, 0, 1});
    say(0x10, {true, 0, 1 << 7});
    all();
  }
  void say(int number, const Reading& reading, int times = 2) {
    for (int i = 0; i < times; ++i) watch_.take(number, reading);
  }
  Resources all() {
    return describe({system_, bmc_, sdr_, watch_, meaning_, frus_, owners_, identify_, now_},
                    remembered_);
  }
  json property(const std::string& fmri, const std::string& name) {
    const Resources resources = all();
    const auto at = resources.find(fmri);
    return at == resources.end() ? json() : at->second["properties"].value(name, json());
  }
  std::string sensor(int number) const { return sensor_fmri(system_, number); }
};

TEST_F(PartsTest, AWellMachine) {
  EXPECT_EQ(property(kSupply1, "status"), "OK");
  EXPECT_EQ(property(kSupply1, "ac"), "ok");
  EXPECT_EQ(property(kSupply1, "label"), "PS1");
  EXPECT_EQ(property(kSupply1, "serial"), "P920PCF11");
  EXPECT_EQ(property(kSupply1, "part_number"), "PWS-920P-SQ");
  EXPECT_EQ(property(kFan1, "status"), "OK");
  EXPECT_EQ(property(kPower, "redundancy"), "full");
  EXPECT_EQ(property(kPower, "input"), "ok");
  EXPECT_EQ(property(sensor(1), "limit_critical"), 95);
  EXPECT_EQ(property(sensor(0x90), "level"), json()) << "nothing can be read there";
  EXPECT_EQ(property(sensor(0x41), "part"), kFan1);
}

// Dell names each supply's sensor "Status".
TEST_F(PartsTest, SuppliesOfOneNameAreToldApart) {
  for (Sensor& sensor : sdr_.sensors)
    if (sensor.number == 0x61 || sensor.number == 0x62) sensor.name = "Status";
  EXPECT_EQ(property(kSupply1, "label"), "PSU1");
  EXPECT_EQ(property(kSupply2, "label"), "PSU2");
  EXPECT_NE(property(sensor(0x61), "label"), property(sensor(0x62), "label"));
  sdr_.frus.clear();
  EXPECT_EQ(property(kSupply1, "label"), "PSU 1");
  EXPECT_EQ(property(kSupply2, "label"), "PSU 2");
}

// Dell gives all fans the board's entity, whose FRU memory is the machine's; Intel a supply's.
TEST_F(PartsTest, AFanHasNoSerialNumberOfAnotherPart) {
  Entity supply;
  for (const Sensor& one : sdr_.sensors)
    if (one.number == 0x61) supply = one.part;
  for (Sensor& one : sdr_.sensors)
    if (one.number == 0x41) one.part = supply;
  bool any = false;
  for (const auto& [fmri, one] : all())
    if (one["type"] == "fan") {
      any = true;
      EXPECT_FALSE(one["properties"].contains("serial")) << fmri;
    }
  EXPECT_TRUE(any);
}

// A serial number is given only if a single part has that entity.
TEST_F(PartsTest, TwoSuppliesOfOnePlaceHaveNoSerialNumbers) {
  Entity place;
  for (const Sensor& one : sdr_.sensors)
    if (one.number == 0x61) place = one.part;
  for (Sensor& one : sdr_.sensors)
    if (one.number == 0x62) one.part = place;
  for (const auto& [fmri, one] : all())
    if (one["type"] == "psu") {
      EXPECT_FALSE(one["properties"].contains("serial")) << fmri;
    }
}

TEST_F(PartsTest, EachStateOfASupply) {
  struct Row {
    uint16_t states;
    const char *status, *ac;
  };
  for (const Row& row : {Row{0x03, "critical", "ok"},
                         {0x05, "non-critical", "ok"},
                         {0x09, "non-critical", "lost"},
                         {0x0B, "non-critical", "lost"},
                         {0x21, "non-critical", "out of range"},
                         {0x41, "non-critical", "ok"},
                         {0x23, "critical", "out of range"},
                         {0x43, "critical", "ok"},
                         {0x81, "OK", "ok"},
                         {0x80, "not installed", ""},
                         {0x00, "not installed", ""}}) {
    say(0x61, {true, 0, row.states});
    EXPECT_EQ(property(kSupply1, "status"), row.status) << row.states;
    EXPECT_EQ(property(kSupply1, "ac"), row.ac[0] ? json(row.ac) : json()) << row.states;
  }
  EXPECT_EQ(property(kSupply1, "was_installed"), true);
  say(0x61, {});
  EXPECT_EQ(property(kSupply1, "status"), "unknown")
      << "no reading is no fault, and no empty place";
}

TEST_F(PartsTest, APlaceThatWasNeverFilledIsNoFault) {
  remembered_ = {};
  say(0x62, {true, 0, 0});
  EXPECT_EQ(property(kSupply2, "status"), "not installed");
  EXPECT_EQ(property(kSupply2, "was_installed"), json());
  EXPECT_EQ(property(kPower, "explained"), false);
}

TEST_F(PartsTest, InputLostOnOneIsItsFeedOnAllTheRooms) {
  say(0x61, {true, 0, 0x0B});
  EXPECT_EQ(property(kSupply1, "feed"), "own");
  EXPECT_EQ(property(kPower, "input"), "some");
  say(0x70, {true, 0, 2});
  EXPECT_EQ(property(kPower, "redundancy"), "lost");
  EXPECT_EQ(property(kPower, "explained"), true) << "that is the supply's case";
  say(0x62, {true, 0, 0x09});
  EXPECT_EQ(property(kPower, "input"), "none");
  EXPECT_EQ(property(kSupply1, "feed"), "all");
}

TEST_F(PartsTest, TheBmcIsTheWayToWhatItReads) {
  const Resources now = all();
  std::vector<std::string> led_to;
  for (const json& edge : now.at(bmc_fmri(system_))["edges"]) {
    EXPECT_EQ(edge["relation"], "path");
    led_to.push_back(edge["to"]);
  }
  for (const std::string& part : {sensor(1), sensor(3), std::string(kFan1)})
    EXPECT_EQ(std::count(led_to.begin(), led_to.end(), part), 1) << part;
  EXPECT_EQ(std::count(led_to.begin(), led_to.end(), sensor(0x90)), 0) << "it is never read";
}

TEST_F(PartsTest, RedundancyLostWithoutAReasonIsOneOfItsOwn) {
  say(0x70, {true, 0, 2});
  EXPECT_EQ(property(kPower, "redundancy"), "lost");
  EXPECT_EQ(property(kPower, "explained"), false);
  say(0x70, {true, 0, 4});
  EXPECT_EQ(property(kPower, "redundancy"), "degraded");
}

TEST_F(PartsTest, AFailedFanExplainsTheHeat) {
  say(1, {true, 96, 0x18});
  EXPECT_EQ(property(sensor(1), "level"), "critical");
  EXPECT_EQ(property(sensor(1), "explained"), false);
  say(0x41, {true, 2, 0x03});
  EXPECT_EQ(property(kFan1, "status"), "critical");
  EXPECT_EQ(property(sensor(1), "explained"), true);
  EXPECT_EQ(property(sensor(1), "explained_by"), "FAN1");
  EXPECT_EQ(property(sensor(3), "explained"), false) << "a voltage is not";
  say(1, {true, 101, 0x38});
  EXPECT_EQ(property(sensor(1), "explained"), false) << "beyond recovery";
  say(0x41, {true, 56, 0});
  say(1, {true, 96, 0x18});
  now_ += std::chrono::minutes(9);
  EXPECT_EQ(property(sensor(1), "explained"), true) << "heat outlasts the fan's fault";
  now_ += std::chrono::minutes(1);
  EXPECT_EQ(property(sensor(1), "explained"), false)
      << "the fan has been well for ten minutes, and it is hot still";
}

// A missing reading ends nothing: neither a condition nor a logged state.
TEST_F(PartsTest, WhatCannotBeReadHasNoCondition) {
  const auto found = std::find_if(sdr_.sensors.begin(), sdr_.sensors.end(),
                                  [](const Sensor& one) { return one.type == code::kProcessor; });
  ASSERT_NE(found, sdr_.sensors.end());
  const int number = found->number;
  say(number, {true, 0, 1 << 10});
  EXPECT_EQ(property(sensor(number), "condition"), "processor.throttled");
  say(number, {});
  EXPECT_EQ(property(sensor(number), "condition"), json());
}

// The supply died, and its sensor with it: only the log reports it, until there is a reading again.
TEST_F(PartsTest, ASensorThatFellSilentIsToldOfByTheLog) {
  SelEntry entry;
  entry.record_type = 0x02;
  entry.sensor = 0x61;
  entry.sensor_type = code::kPowerSupply;
  entry.reading_type = code::kSpecific;
  entry.offset = 1;
  const News::Around around{system_, sdr_, watch_, meaning_, owners_, std::nullopt, 1000};
  ASSERT_EQ(news_.of(entry, around).size(), 1u);
  EXPECT_EQ(news_.of(entry, around)[0].event_class, "sysevent.ipmi.entry") << "its reading tells";
  say(0x61, {});
  EXPECT_EQ(news_.of(entry, around)[0].event_class, "ereport.ipmi.state");
  EXPECT_TRUE(news_.of_readable_again(around).empty());
  say(0x61, {true, 0, 1});
  const auto over = news_.of_readable_again(around);
  ASSERT_EQ(over.size(), 1u);
  EXPECT_EQ(over[0].event_class, "sysevent.ipmi.cleared");
  EXPECT_EQ(over[0].resource, sensor(0x61));
  EXPECT_TRUE(news_.of_readable_again(around).empty()) << "once";
}

TEST_F(PartsTest, APlaceThatWasFilledIsKnownAfterARestart) {
  const std::string file = ::testing::TempDir() + "ipmi-memory.json";
  remembered_.parts = hardware::FmriMemory(file);
  all();
  remembered_.parts.save();
  say(0x61, {true, 0, 0});  // pulled meanwhile
  remembered_.parts = hardware::FmriMemory(file);
  ASSERT_TRUE(remembered_.parts.load());
  EXPECT_EQ(property(kSupply1, "status"), "not installed");
  EXPECT_EQ(property(kSupply1, "was_installed"), true);
  std::ofstream(file) << "{\"installed\": 1}";
  EXPECT_FALSE(remembered_.parts.load());
  std::filesystem::remove(file);
}

TEST_F(PartsTest, AFanThatStoppedAndOneThatNeverTurned) {
  for (Sensor& sensor : sdr_.sensors)
    if (sensor.number == 0x42) sensor.compares = 0;  // no thresholds
  const Sensor& fan = *sdr_.find(0x42);
  const Reading still = parse_reading(fan, {Bytes{0, 0xC0, 0}}),
                turns = parse_reading(fan, {Bytes{56, 0xC0, 0}});
  const auto status = [&] { return property("hc://chassis=host/fan=ipmi2", "status"); };
  say(0x42, still, 1);
  EXPECT_EQ(status(), "OK") << "one look";
  say(0x42, turns, 1);
  say(0x42, still, 1);
  EXPECT_EQ(status(), "OK") << "one look, again";
  EXPECT_FALSE(watch_.take(0x42, still)) << "the second one";
  EXPECT_EQ(status(), "critical");
  EXPECT_EQ(property("hc://chassis=host/fan=ipmi2", "reason"), "stopped");
  EXPECT_TRUE(watch_.take(0x42, turns)) << "to be looked at again soon";
  EXPECT_EQ(status(), "critical") << "one look ends it no more than it begins it";
  say(0x42, turns, 1);
  EXPECT_EQ(status(), "OK");
  say(0x42, still);
  EXPECT_EQ(status(), "critical");
  remembered_ = {};
  EXPECT_EQ(property("hc://chassis=host/fan=ipmi2", "status"), "unknown")
      << "an empty header, or a fan that stopped while nobody watched: no word that ends a case";
}

TEST_F(PartsTest, FansThatABmcGivesToItsBoardAreEachTheirOwn) {
  for (Sensor& sensor : sdr_.sensors)
    if (sensor.type == code::kFan) sensor.part = {7, 1};
  const Resources resources = all();
  EXPECT_TRUE(resources.contains("hc://chassis=host/fan=ipmi-sensor65"));
  EXPECT_TRUE(resources.contains("hc://chassis=host/fan=ipmi-sensor67"));
  say(0x41, {true, 2, 3});
  EXPECT_EQ(property(sensor(3), "explained"), false) << "the board is not broken";
}

TEST_F(PartsTest, WhatTheDescriptionNames) {
  chassis::Description box;
  chassis::Fru other, supply;
  other.type = supply.type = "psu";
  other.keys["ipmi"] = "PS1 Status";
  supply.keys["ipmi"] = "PS2 Status";
  supply.label = "PSU B";
  box.frus = {other, supply};
  owners_.descriptions = {std::make_shared<const chassis::Description>(box)};
  EXPECT_EQ(property("hc://chassis=host/psu=1", "label"), "PSU B");
  EXPECT_EQ(property("hc://chassis=host/psu=1", "status"), "OK");
}

TEST_F(PartsTest, ASilentBmcKnowsNothing) {
  bmc_.state = "silent";
  watch_.nothing_known();
  EXPECT_EQ(property(bmc_fmri(system_), "state"), "silent");
  EXPECT_EQ(property(kSupply1, "status"), "unknown");
  EXPECT_EQ(property(sensor(1), "level"), "unknown");
}

SelEntry entry(int sensor, int type, int offset, bool deasserted = false) {
  SelEntry one;
  one.record_type = 2;
  one.sensor = sensor;
  one.sensor_type = type;
  one.reading_type = code::kSpecific;
  one.offset = offset;
  one.deasserted = deasserted;
  return one;
}

TEST_F(PartsTest, EntriesOfTheLogAsEvents) {
  const News::Around around{system_, sdr_, watch_, meaning_, owners_, std::nullopt, 5};
  const auto event = [&](const SelEntry& one) {
    const auto events = news_.of(one, around);
    return events.empty() ? "" : events[0].event_class + " " + events[0].resource;
  };
  EXPECT_EQ(event(entry(0x61, 8, 1)), "sysevent.ipmi.entry " + sensor(0x61)) << "its reading tells";
  EXPECT_EQ(event(entry(0x90, 0x0C, 1)), "ereport.ipmi.memory.uncorrected " + sensor(0x90));
  EXPECT_EQ(event(entry(0x10, 7, 0)), "ereport.ipmi.processor.ierr " + sensor(0x10)) << "soon over";
  EXPECT_EQ(event(entry(0x91, 0x10, 2)), "sysevent.ipmi.entry " + sensor(0x91)) << "log cleared";
  EXPECT_EQ(event(entry(0xEE, 8, 1)), "ereport.ipmi.state " + bmc_fmri(system_))
      << "no record of it";
  SelEntry oem = entry(1, 8, 1);
  oem.record_type = 0xC0;
  EXPECT_EQ(event(oem), "");
}

TEST_F(PartsTest, AssertionsArePairedWithDeassertions) {
  const News::Around around{system_, sdr_, watch_, meaning_, owners_, std::nullopt, 5};
  const auto event = [&](const SelEntry& one) { return news_.of(one, around).at(0).event_class; };
  EXPECT_EQ(event(entry(0x90, 0x0C, 4)), "ereport.ipmi.state");
  EXPECT_EQ(event(entry(0x90, 0x0C, 7)), "ereport.ipmi.state");
  EXPECT_EQ(event(entry(0x90, 0x0C, 4, true)), "sysevent.ipmi.entry")
      << "the other one holds still";
  EXPECT_EQ(event(entry(0x90, 0x0C, 7, true)), "sysevent.ipmi.cleared");
  EXPECT_EQ(event(entry(0x90, 0x0C, 7, true)), "sysevent.ipmi.entry");
  EXPECT_EQ(event(entry(0x90, 0x0C, 4)), "ereport.ipmi.state");
  EXPECT_EQ(event(entry(0x90, 0x0C, 6)), "sysevent.ipmi.cleared") << "present: well again";
}

// A condition with a name is ended like any other.
TEST_F(PartsTest, ConditionsArePairedWithDeassertions) {
  const News::Around around{system_, sdr_, watch_, meaning_, owners_, std::nullopt, 5};
  const auto event = [&](const SelEntry& one) { return news_.of(one, around).at(0).event_class; };
  struct Row {
    int type, offset;
    const char* name;
  };
  for (const Row& row : {Row{0x29, 1, "battery.failed"},
                         {0x0C, 3, "memory.scrub_failed"},
                         {0x0C, 10, "memory.overtemperature"},
                         {0x0F, 0, "firmware.error"},
                         {0x0F, 1, "firmware.hang"},
                         {0x11, 5, "watchdog.nmi"},
                         {0x20, 1, "os.stopped"}}) {
    EXPECT_EQ(event(entry(0x95, row.type, row.offset)), std::string("ereport.ipmi.") + row.name);
    EXPECT_EQ(event(entry(0x95, row.type, row.offset, true)), "sysevent.ipmi.cleared") << row.name;
    EXPECT_EQ(event(entry(0x95, row.type, row.offset, true)), "sysevent.ipmi.entry") << row.name;
  }
  EXPECT_TRUE(news_.asserted.empty());
  // An error that is never cleared does not keep a lasting state from ending, and a later state
  // does not end it.
  event(entry(0x95, 0x0C, 0));
  event(entry(0x95, 0x0C, 10));
  event(entry(0x95, 0x0C, 7));
  EXPECT_EQ(event(entry(0x95, 0x0C, 10, true)), "sysevent.ipmi.entry") << "7 holds still";
  EXPECT_EQ(event(entry(0x95, 0x0C, 7, true)), "sysevent.ipmi.cleared");
  event(entry(0x96, 0x20, 1));
  EXPECT_EQ(event(entry(0x96, 0x20, 3)), "sysevent.ipmi.entry")
      << "a graceful shutdown takes no panic back";
}

// A readable battery is judged by its reading, whatever the log contains.
TEST_F(PartsTest, AConditionThatLastsIsToldByItsReading) {
  Sensor battery = *sdr_.find(0x61);
  battery.number = 0x97;
  battery.type = 0x29;
  battery.name = "CMOS Battery";
  sdr_.sensors.push_back(battery);
  const News::Around around{system_, sdr_, watch_, meaning_, owners_, std::nullopt, 5};
  const auto event = [&](const SelEntry& one) { return news_.of(one, around).at(0).event_class; };
  EXPECT_EQ(event(entry(0x97, 0x29, 1)), "ereport.ipmi.battery.failed");
  say(0x97, {true, 0, 2});
  EXPECT_EQ(news_.of_readable_again(around).size(), 1U);
  EXPECT_EQ(event(entry(0x97, 0x29, 1)), "sysevent.ipmi.entry");
  EXPECT_EQ(property(sensor(0x97), "condition"), "battery.failed");
}

// Sensor numbers are per owner: the BMC, firmware (an odd number).
TEST_F(PartsTest, FirmwaresEntriesAreTheirOwn) {
  Sensor ecc = *sdr_.find(0x90);
  ecc.owner = 0x33;
  ecc.ours = false;
  ecc.name = "Firmware ECC";
  sdr_.sensors.push_back(ecc);
  const News::Around around{system_, sdr_, watch_, meaning_, owners_, std::nullopt, 5};
  const auto event = [&](const SelEntry& one) { return news_.of(one, around).at(0); };
  SelEntry firmwares = entry(0x90, 0x0C, 10);
  firmwares.owner = 0x33;
  EXPECT_EQ(event(firmwares).resource, "hc://system=host/sensor=ipmi-33-90");
  EXPECT_EQ(event(firmwares).payload["sensor"], "Firmware ECC");
  EXPECT_EQ(property("hc://system=host/sensor=ipmi-33-90", "reading"), "event log");
  event(entry(0x90, 0x0C, 10));
  EXPECT_EQ(event(entry(0x90, 0x0C, 10, true)).event_class, "sysevent.ipmi.cleared");
  firmwares.deasserted = true;
  EXPECT_EQ(event(firmwares).event_class, "sysevent.ipmi.cleared") << "the BMC's end was not its";
  // Firmware that logs under the number of a BMC record for events of that type.
  SelEntry other = entry(0x90, 0x0C, 1);
  other.owner = 0x31;
  EXPECT_EQ(event(other).payload["sensor"], "Firmware ECC");
  sdr_.sensors.pop_back();
  EXPECT_EQ(event(other).resource, sensor(0x90));
  other.sensor_type = 0x13;
  EXPECT_EQ(event(other).resource, bmc_fmri(system_)) << "another type: that number means another";
  other.owner = 0x2C;
  other.sensor_type = 0x0C;
  EXPECT_EQ(event(other).resource, bmc_fmri(system_)) << "another controller's";
}

TEST_F(PartsTest, PartsMemoriesWithoutOnes) {
  const auto frus = parse_frus(
      "FRU Device Description : Builtin FRU Device (ID 0)\n Device not present\n\n"
      "FRU Device Description : A (B) (ID 7)\n Product Serial        : 0000\n"
      " Product Name : X: Y\n: \nProduct Name\n");
  EXPECT_EQ(frus.at(7).name, "A (B)");
  EXPECT_EQ(frus.at(7).product, "X: Y");
  EXPECT_TRUE(frus.at(0).serial.empty());
  EXPECT_TRUE(parse_frus("no such thing").empty());
  std::string endless;
  for (int id = -5; id < 3000; ++id)
    endless += "FRU Device Description : x (ID " + std::to_string(id) + ")\n";
  EXPECT_EQ(parse_frus(endless).size(), 256U) << "a FRU device id is one byte";
}

}  // namespace
}  // namespace fmd::ipmi::parts_test
