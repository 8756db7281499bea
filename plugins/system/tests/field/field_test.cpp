// hwmon sensors, with files and values as in several chips' drivers, through the plugin and the
// shipped rules to the cases.
#include <fmt/format.h>

#include "plugins/system/tests/system_rig.h"
#include "tests/lib/told_cases.h"

namespace fmd::machine::testing {
namespace {

using Cases = std::vector<std::string>;
using Files = std::vector<std::pair<std::string, std::string>>;

class HwmonField : public SystemTest {
 protected:
  // A chip with the kernel's number. device: its device; "" a device without a folder.
  void chip(int number, const std::string& name, const Files& files,
            const std::string& device = "") {
    const std::string folder = fmt::format("/sys/class/hwmon/hwmon{}", number);
    if (!device.empty()) {
      tree_.folder(device);
      tree_.link(folder + "/device", device);
    }
    tree_.file(folder + "/name", name + "\n");
    set(number, files);
  }
  void set(int number, const Files& files) {
    for (const auto& [file, text] : files)
      tree_.file(fmt::format("/sys/class/hwmon/hwmon{}/{}", number, file), text + "\n");
  }
  void remove(int number) { tree_.remove(fmt::format("/sys/class/hwmon/hwmon{}", number)); }
  void watch() {
    start({.rescan = 1h,
           .readings = 10ms,
           .device_deadline = 10s,
           .state_file = tree_.root() + "/memory.json"});
  }
  void look() { refresh(fmt::format("look{}", ++looks_)); }
  // Waits until each sensor has been read several times.
  void settle() {
    look();
    for (int round = 0; round < 5; ++round) {
      const size_t before = core_.count("readings");
      ASSERT_TRUE(loop_.until([&] { return core_.count("readings") > before; }));
    }
  }
  Cases cases() {
    settle();
    return cases_after_two_hours("system", core_.messages);
  }
  static Cases one(const char* severity, const char* fault, const char* sensor) {
    return {fmt::format("{} {} hc://system=host/sensor={}", severity, fault, sensor)};
  }
  static Cases standing(const char* sensor) {
    return one("Major", "fault.chassis.device.fan.standing", sensor);
  }
  static Cases too_hot(const char* sensor) {
    return one("Critical", "fault.chassis.env.temp.over-limit", sensor);
  }

 private:
  int looks_ = 0;
};

// A board's chip: fans on two of five connectors, and a changing temperature, so that there are
// readings.
const Files kBoard{{"temp1_input", "38000"},  {"temp1_max", "80000"},  {"temp1_max_hyst", "75000"},
                   {"temp1_alarm", "0"},      {"temp1_type", "4"},     {"fan1_input", "1022"},
                   {"fan1_min", "0"},         {"fan1_alarm", "0"},     {"fan1_pulses", "2"},
                   {"pwm1", "153"},           {"pwm1_enable", "5"},    {"fan2_input", "894"},
                   {"fan2_min", "0"},         {"fan2_alarm", "0"},     {"fan2_pulses", "2"},
                   {"pwm2", "112"},           {"fan3_input", "0"},     {"fan3_min", "0"},
                   {"fan3_alarm", "1"},       {"pwm3", "153"},         {"in0_input", "888"},
                   {"in0_min", "0"},          {"in0_max", "1744"},     {"in0_alarm", "1"},
                   {"intrusion0_alarm", "1"}, {"temp3_input", "91000"}};

// A whole machine, as recorded, has no cases.
TEST_F(HwmonField, AMachineThatIsWell) {
  replay(tree_, FIXTURES "/../fixtures/machine-recorded.txt");
  start();
  look();
  EXPECT_GT(core_.resources.size(), 10u);
  EXPECT_EQ(cases_after_two_hours("system", core_.messages), Cases());
}

TEST_F(HwmonField, AFanOfABoardStops) {
  chip(4, "nct6798", kBoard, "/sys/devices/platform/nct6775.656");
  watch();
  EXPECT_EQ(cases(), Cases());
  set(4, {{"fan2_input", "0"}, {"fan2_alarm", "1"}});
  EXPECT_EQ(cases(), standing("nct6798-fan2"));
  set(4, {{"fan2_input", "902"}, {"fan2_alarm", "0"}});
  ASSERT_TRUE(loop_.until([&] {
    return core_.property("hc://system=host/sensor=nct6798-fan2", "rotation") == "turning";
  }));
}

TEST_F(HwmonField, AFanThatItsDriverRests) {
  chip(4, "nct6798", kBoard);
  watch();
  settle();
  set(4, {{"fan2_input", "0"}, {"fan2_alarm", "1"}, {"pwm2", "0"}});
  EXPECT_EQ(cases(), Cases());
}

// Noise on an empty connector reads as speeds that no fan reaches.
TEST_F(HwmonField, NoiseOnAnEmptyConnector) {
  chip(4, "it8686", kBoard);
  set(4, {{"fan3_input", "1350000"}, {"fan4_input", "-1"}, {"fan4_alarm", "1"}});
  watch();
  settle();
  set(4, {{"fan3_input", "0"}, {"fan4_input", "0"}});
  EXPECT_EQ(cases(), Cases());
}

// Controllers of server fans (emc2305, max31790, pmbus) have a flag for a failed fan.
TEST_F(HwmonField, AFanWithAFaultFlag) {
  chip(2, "emc2305",
       {{"fan1_input", "8200"},
        {"fan1_fault", "0"},
        {"fan1_min", "480"},
        {"fan2_input", "0"},
        {"fan2_fault", "1"},
        {"fan2_min", "480"},
        {"pwm1", "200"},
        {"temp1_input", "30000"}});
  watch();
  EXPECT_EQ(cases(), Cases()) << "the second was never there";
  set(2, {{"fan1_input", "n/a"}, {"fan1_fault", "1"}});
  EXPECT_EQ(cases(), standing("emc2305-fan1")) << "and is not read any more";
}

TEST_F(HwmonField, FansThatNothingMonitors) {
  chip(1, "amdgpu",
       {{"fan1_input", "1190"},
        {"fan1_min", "500"},
        {"fan1_max", "3300"},
        {"fan1_enable", "1"},
        {"pwm1", "61"},
        {"temp1_input", "44000"}},
       "/sys/devices/pci0000:00/0000:03:00.0");
  tree_.file("/sys/devices/pci0000:00/0000:03:00.0/class", "0x030000\n");
  chip(3, "thinkpad", {{"fan1_input", "2600"}, {"pwm1", "128"}, {"temp1_input", "47000"}});
  chip(5, "dell_smm",
       {{"fan1_input", "1980"}, {"fan1_min", "0"}, {"fan1_max", "5100"}, {"pwm1", "128"}});
  chip(6, "w83795g",
       {{"fan4_input", "1400"}, {"fan4_enable", "0"}, {"fan4_alarm", "0"}, {"fan4_min", "300"}});
  watch();
  settle();
  for (const int number : {1, 3, 5}) set(number, {{"fan1_input", "0"}});
  set(6, {{"fan4_input", "0"}});
  EXPECT_EQ(cases(), Cases());
}

TEST_F(HwmonField, ATemperatureOverItsCriticalLimit) {
  chip(0, "coretemp",
       {{"temp1_input", "58000"},
        {"temp1_crit", "100000"},
        {"temp1_max", "80000"},
        {"temp1_crit_alarm", "1"},
        {"temp1_label", "Package id 0"}});
  chip(1, "lm75", {{"temp1_input", "41500"}, {"temp1_max", "80000"}, {"temp1_max_hyst", "75000"}});
  chip(2, "tmp421", {{"temp2_input", "66000"}, {"temp2_crit", "95000"}, {"temp2_fault", "0"}});
  watch();
  EXPECT_EQ(cases(), Cases()) << "the flag of critical heat stays set until it is cleared";
  set(1, {{"temp1_input", "84000"}});
  EXPECT_EQ(cases(), Cases()) << "over its maximum";
  set(2, {{"temp2_input", "97250"}});
  EXPECT_EQ(cases(), too_hot("tmp421-temp2"));
}

// Some firmware gives several inputs one label.
TEST_F(HwmonField, InputsOfOneLabel) {
  chip(1, "dell_smm",
       {{"temp1_input", "41000"},
        {"temp1_label", "Other"},
        {"temp2_input", "42000"},
        {"temp2_label", "Other"},
        {"temp3_input", "43000"},
        {"temp3_label", "CPU"},
        {"fan1_input", "2100"},
        {"fan1_label", "Processor Fan"}});
  watch();
  look();
  const auto label = [&](const char* sensor) {
    return core_.property(std::string("hc://system=host/sensor=dell_smm-") + sensor, "label");
  };
  EXPECT_EQ(label("temp1"), "dell_smm Other (temp1)");
  EXPECT_EQ(label("temp2"), "dell_smm Other (temp2)");
  EXPECT_EQ(label("temp3"), "dell_smm CPU");
  EXPECT_EQ(label("fan1"), "dell_smm Processor Fan");
}

// Limits that the firmware has not set: 0, negative, all bits set, or a room temperature.
TEST_F(HwmonField, CriticalLimitsThatAreNone) {
  int number = 0;
  for (const char* limit :
       {"0", "-273150", "-1000", "127000", "127875", "20800", "31300", "1000"}) {
    chip(number, fmt::format("chip{}", number),
         {{"temp1_input", "16800"}, {"temp1_crit", limit}, {"temp1_crit_alarm", "1"}});
    ++number;
  }
  watch();
  settle();
  for (int i = 0; i < number; ++i) set(i, {{"temp1_input", "52000"}});
  EXPECT_EQ(cases(), Cases());
}

// The reading of an open thermistor is at the end of the scale or drifts.
TEST_F(HwmonField, AThermistorThatIsNotThere) {
  chip(1, "nct6779",
       {{"temp3_input", "109000"},
        {"temp3_crit", "100000"},
        {"temp3_alarm", "1"},
        {"temp5_input", "-62000"},
        {"temp5_crit", "95000"},
        {"temp6_input", "61000"},
        {"temp6_crit", "90000"},
        {"temp6_fault", "1"},
        {"fan1_input", "700"}});
  watch();
  EXPECT_EQ(cases(), Cases());
  set(1, {{"temp3_input", "127000"},
          {"temp5_input", "127500"},
          {"temp6_input", "102000"},
          {"temp6_fault", "0"}});
  EXPECT_EQ(cases(), Cases());
}

// Reading a disk's chip wakes a sleeping disk. Its temperature comes from SMART.
TEST_F(HwmonField, DisksAreLeftToSmart) {
  chip(1, "drivetemp", {{"temp1_input", "38000"}, {"temp1_crit", "60000"}, {"temp1_lcrit", "0"}});
  chip(2, "nvme", {{"temp1_input", "43850"}, {"temp1_crit", "84850"}, {"temp1_alarm", "1"}});
  chip(3, "lm75", {{"temp1_input", "30000"}});
  watch();
  settle();
  set(1, {{"temp1_input", "71000"}});
  set(2, {{"temp1_input", "90850"}});
  EXPECT_EQ(cases(), Cases());
}

// The kernel may number the chips differently at each boot, and creates them again after a resume.
TEST_F(HwmonField, ChipsOfOneNameInAnotherOrder) {
  const auto sensor = [&](int number, const char* place, const char* rpm) {
    chip(number, "emc2103",
         {{"fan1_input", rpm}, {"fan1_fault", "0"}, {"temp1_input", "31000"}, {"fan1_min", "300"}},
         std::string("/sys/devices/pci0000:00/i2c-3/") + place);
  };
  sensor(2, "3-002e", "4100");
  sensor(3, "3-002f", "3900");
  watch();
  settle();
  remove(2);
  remove(3);
  chip(9, "lm75", {{"temp1_input", "30000"}});
  look();
  EXPECT_EQ(core_.property("hc://system=host/sensor=emc2103.3-002f-fan1", "rotation"), json());
  sensor(2, "3-002f", "0");
  sensor(3, "3-002e", "4080");
  EXPECT_EQ(cases(), standing("emc2103.3-002f-fan1"));
}

// Two chips with the same name and device stay separate.
TEST_F(HwmonField, ChipsThatNothingTellsApart) {
  const char* device = "/sys/devices/platform/soc/f00.mfd";
  chip(1, "pwmfan", {{"fan1_input", "2100"}, {"fan1_alarm", "0"}}, device);
  chip(2, "pwmfan", {{"fan1_input", "2050"}, {"fan1_alarm", "0"}}, device);
  watch();
  settle();
  set(2, {{"fan1_input", "0"}});
  EXPECT_EQ(cases(), standing("pwmfan.f00.mfd.hwmon2-fan1"));
}

// Many boards leave the limits of power, current and voltage sensors at random values.
TEST_F(HwmonField, AlarmsOfVoltagesAndPowerAreNone) {
  chip(1, "corsairpsu",
       {{"in0_input", "12096"},
        {"in0_lcrit", "12500"},
        {"in0_lcrit_alarm", "1"},
        {"curr1_input", "9000"},
        {"curr1_crit_alarm", "1"},
        {"power1_input", "912000000"},
        {"power1_cap", "850000000"},
        {"power1_alarm", "1"},
        {"temp1_input", "39000"},
        {"temp1_crit", "70000"},
        {"fan1_input", "0"}});
  watch();
  EXPECT_EQ(cases(), Cases());
}

}  // namespace
}  // namespace fmd::machine::testing
