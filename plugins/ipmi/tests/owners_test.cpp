// The part that a log entry, a sensor or a FRU memory is about.
#include "plugins/ipmi/owners.h"

#include <gtest/gtest.h>

#include "fmd/base/json.h"
#include "plugins/ipmi/boards.h"
#include "plugins/ipmi/news.h"
#include "plugins/ipmi/tests/ipmi_fixture.h"
#include "plugins/sdk/messages.h"

namespace fmd::ipmi {
namespace {

using nlohmann::json;

hardware::MemoryModule module(const std::string& locator, const std::string& bank = "") {
  hardware::MemoryModule one;
  one.locator = locator;
  one.bank = bank;
  return one;
}

Sensor sensor(int number, int type, const std::string& name, Entity part) {
  Sensor one;
  one.number = number;
  one.type = type;
  one.name = name;
  one.part = part;
  one.reading_type = code::kSpecific;
  return one;
}

SelEntry entry(int sensor, int type, int offset, int data3 = 0xFF) {
  SelEntry one;
  one.record_type = 2;
  one.sensor = sensor;
  one.sensor_type = type;
  one.reading_type = code::kSpecific;
  one.offset = offset;
  one.data3 = data3;
  return one;
}

class OwnersTest : public ::testing::Test {
 protected:
  OwnersTest() {
    owners_.system = system_;
    owners_.dimms = hardware::DimmNames(
        {module("DIMM_A1"), module("DIMM_A2"), module("DIMM 0", "P0"), module("DIMM 0", "P1")});
    owners_.processors = {"CPU1", "CPU2"};
    sdr_.sensors = {sensor(0x10, code::kProcessor, "CPU1 Status", {entity::kProcessor, 1}),
                    sensor(0x11, code::kProcessor, "P2 Status", {entity::kProcessor, 2}),
                    sensor(0x20, code::kMemory, "DIMM A1 ECC", {entity::kMemory, 1}),
                    sensor(0x21, code::kMemory, "ECC", {entity::kMemory, 2}),
                    sensor(0x83, code::kDriveSlot, "Drive Slot 3", {26, 3}),
                    sensor(0x84, code::kDriveSlot, "Drive Slot 4", {26, 4})};
  }
  void describe_box() {
    chassis::Description box;
    chassis::Fru dimm;
    dimm.type = "dimm";
    dimm.label = "A2";
    dimm.keys["ipmi"] = "ECC#2";
    dimm.keys["locator"] = "DIMM_A2";
    box.frus = {dimm};
    chassis::Bay own, ses;
    own.id = "3";
    own.label = "Bay 3";
    own.ipmi = "Drive Slot 3";
    own.resolve = {{"ata_port", "0000:00:1f.2/3", ""}};
    ses.id = "4";
    ses.ipmi = "Drive Slot 4";
    ses.resolve = {{"ses_slot", "4", ""}};
    box.bays = {own, ses};
    owners_.descriptions = {std::make_shared<const chassis::Description>(box)};
  }
  std::string of(const SelEntry& one) { return owners_.of(sdr_.find(one.sensor), one, sdr_); }
  Resources all() {
    return describe({system_, bmc_, sdr_, watch_, meaning_, frus_, owners_, identify_, {}},
                    remembered_);
  }

  const std::string system_ = "host";
  Owners owners_;
  Sdr sdr_;
  Watch watch_;
  Meaning meaning_ = testing::standard();
  std::map<int, FruText> frus_;
  BmcFacts bmc_;
  Remembered remembered_;
  Identify identify_;
};

TEST_F(OwnersTest, AModuleByTheSensorsName) {
  EXPECT_EQ(of(entry(0x20, code::kMemory, 0)), "mem://dimm=DIMM_A1");
  EXPECT_EQ(of(entry(0x21, code::kMemory, 0, 2)), "") << "nobody told which module 2 is";
  describe_box();
  EXPECT_EQ(of(entry(0x21, code::kMemory, 0, 2)), "mem://dimm=DIMM_A2");
  EXPECT_EQ(of(entry(0x21, code::kMemory, 0, 3)), "");
  EXPECT_EQ(owners_.dimms.fmri("dimm0"), "") << "two are called so";
  EXPECT_EQ(owners_.dimms.fmri("P1 DIMM 0"), "mem://dimm=P1%20DIMM%200");
}

TEST_F(OwnersTest, AProcessorByNameOrPlace) {
  EXPECT_EQ(of(entry(0x10, code::kProcessor, 0)), "cpu://socket=0");
  EXPECT_EQ(of(entry(0x11, code::kProcessor, 0)), "cpu://socket=1") << "the second of two places";
  EXPECT_EQ(of(entry(0xEE, code::kProcessor, 0)), "") << "firmware's, without a sensor of ours";
  owners_.processors = {"CPU1", "CPU2", "CPU3", "CPU4"};
  EXPECT_EQ(of(entry(0x11, code::kProcessor, 0)), "") << "there are more than it has sensors for";
  owners_.processors = {"CPU0"};
  EXPECT_EQ(of(entry(0xEE, code::kProcessor, 0)), "cpu://socket=0") << "the only one";
  owners_.processors.clear();
  EXPECT_EQ(of(entry(0x10, code::kProcessor, 0)), "");
}

TEST_F(OwnersTest, CPU1IsNotCPU10) {
  owners_.processors = {"CPU10", "CPU1"};
  EXPECT_EQ(of(entry(0x10, code::kProcessor, 0)), "cpu://socket=1");
}

TEST_F(OwnersTest, AnEntryIsToldOfThePart) {
  News news;
  const News::Around around{system_, sdr_, watch_, meaning_, owners_, std::nullopt, 5};
  EXPECT_EQ(news.of(entry(0x20, code::kMemory, 1), around).at(0).resource, "mem://dimm=DIMM_A1");
  EXPECT_EQ(news.of(entry(0x21, code::kMemory, 1), around).at(0).resource,
            sensor_fmri(system_, 0x21));
  EXPECT_EQ(news.of(entry(0x10, code::kProcessor, 0), around).at(0).resource, "cpu://socket=0");
}

// Firmware logs it with its own sensor number, which is not the BMC's.
TEST_F(OwnersTest, WhatFirmwareLogsIsToldOfThePart) {
  Sensor record = sensor(0x20, code::kMemory, "DIMM A2 ECC", {entity::kMemory, 2});
  record.owner = 0x33;
  record.ours = false;
  record.event_only = true;
  sdr_.sensors.push_back(record);
  News news;
  const News::Around around{system_, sdr_, watch_, meaning_, owners_, std::nullopt, 5};
  SelEntry firmwares = entry(0x20, code::kMemory, 0);
  firmwares.owner = 0x33;
  EXPECT_EQ(news.of(firmwares, around).at(0).resource, "mem://dimm=DIMM_A2");
  EXPECT_EQ(news.of(entry(0x20, code::kMemory, 0), around).at(0).resource, "mem://dimm=DIMM_A1");
}

// The module or processor is the replaceable part, so it contains the sensor.
TEST_F(OwnersTest, ASensorOfAPartIsTheParts) {
  Resources found = all();
  const auto holds = [&](const std::string& holder, int number) {
    const json edges = found[holder].value("edges", json::array());
    return std::find(edges.begin(), edges.end(),
                     json({{"relation", "contains"}, {"to", sensor_fmri(system_, number)}})) !=
           edges.end();
  };
  const std::string system = "hc://system=host";
  EXPECT_TRUE(holds("mem://dimm=DIMM_A1", 0x20));
  EXPECT_FALSE(holds(system, 0x20));
  EXPECT_EQ(found["mem://dimm=DIMM_A1"]["type"], "dimm");
  EXPECT_TRUE(holds("cpu://socket=0", 0x10));
  EXPECT_TRUE(holds("cpu://socket=1", 0x11));
  EXPECT_EQ(found["cpu://socket=1"]["type"], "cpu");
  EXPECT_TRUE(holds(system, 0x21)) << "nobody knows whose it is";
  const json module = found[sensor_fmri(system_, 0x20)]["properties"],
             processor = found[sensor_fmri(system_, 0x10)]["properties"];
  EXPECT_EQ(module["kind"], "memory");
  EXPECT_EQ(module["part"], "mem://dimm=DIMM_A1");
  EXPECT_EQ(processor["kind"], "processor");
  EXPECT_EQ(processor["part"], "cpu://socket=0");
}

TEST_F(OwnersTest, BaysThatADescriptionTies) {
  for (const Reading& reading : {Reading{true, 0, 1}, Reading{true, 0, 1}})
    watch_.take(0x83, reading);
  EXPECT_FALSE(all().contains("hc://chassis=host/bay=3")) << "no description ties them";
  describe_box();
  Resources found = all();
  ASSERT_TRUE(found.contains("hc://chassis=host/bay=3"));
  EXPECT_FALSE(found.contains("hc://chassis=host/bay=4")) << "that one is its enclosure's";
  const auto state = [&] { return all()["hc://chassis=host/bay=3"]["properties"]["bmc.state"]; };
  EXPECT_EQ(state(), "ok");
  EXPECT_EQ(found[sensor_fmri(system_, 0x83)]["properties"]["part"], "hc://chassis=host/bay=3");
  const std::pair<int, const char*> rows[] = {
      {0x03, "failed"}, {0x05, "predicted"}, {0x07, "failed"}, {0x00, "empty"}};
  for (const auto& [states, word] : rows) {
    for (int i = 0; i < 2; ++i) watch_.take(0x83, {true, 0, static_cast<uint16_t>(states)});
    EXPECT_EQ(state(), word) << states;
  }
  for (int i = 0; i < 2; ++i) watch_.take(0x83, {});
  EXPECT_EQ(state(), "unknown");
}

TEST_F(OwnersTest, WhatABayTellsIsNoSensorsCaseAsWell) {
  describe_box();
  for (int i = 0; i < 2; ++i)
    for (const int number : {0x83, 0x84}) watch_.take(number, {true, 0, 3});
  Resources found = all();
  EXPECT_EQ(found[sensor_fmri(system_, 0x83)]["properties"]["explained"], true);
  EXPECT_EQ(found[sensor_fmri(system_, 0x84)]["properties"]["explained"], false);
}

TEST_F(OwnersTest, BoardsByTheirMemories) {
  sdr_.frus = {{5, {{15, 1}, ""}}, {6, {{entity::kMemory, 1}, ""}}, {7, {{7, 2}, ""}}};
  frus_ = parse_frus(
      "FRU Device Description : Builtin FRU Device (ID 0)\n Chassis Serial : C77\n"
      " Board Mfg : Acme\n Board Product : X11\n Board Serial : B1\n Board Part Number : P1\n"
      " Product Name : Server 9\n Product Serial : S9\n\n"
      "FRU Device Description : BP (ID 5)\n Board Product : Backplane\n Board Serial : B5\n\n"
      "FRU Device Description : DIMM (ID 6)\n Product Serial : D6\n\n"
      "FRU Device Description : Riser (ID 7)\n Device not present\n\n"
      "FRU Device Description : Other (ID 9)\n Product Serial : X\n");
  Resources found = all();
  const json main = found["hc://system=host/board=ipmi0"]["properties"];
  EXPECT_EQ(main["label"], "mainboard");
  EXPECT_EQ(main["serial"], "B1");
  EXPECT_EQ(main["part_number"], "P1");
  EXPECT_EQ(main["chassis_serial"], "C77");
  EXPECT_EQ(main["product_serial"], "S9");
  EXPECT_EQ(found["hc://system=host/board=ipmi5"]["properties"]["kind"], "drive backplane");
  EXPECT_FALSE(found.contains("hc://system=host/board=ipmi6")) << "a module is its own part";
  EXPECT_FALSE(found.contains("hc://system=host/board=ipmi7")) << "nothing is told of it";
  EXPECT_FALSE(found.contains("hc://system=host/board=ipmi9")) << "nobody says where it is";
  const json edges = found["hc://system=host"]["edges"];
  EXPECT_NE(std::find(edges.begin(), edges.end(),
                      json({{"relation", "contains"}, {"to", "hc://system=host/board=ipmi5"}})),
            edges.end());
}

}  // namespace
}  // namespace fmd::ipmi
