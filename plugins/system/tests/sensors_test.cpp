// hwmon sensors: which of their values are accepted. The trees have values as printed by the
// drivers.
#include "plugins/system/sensor_states.h"
#include "plugins/system/tests/system_rig.h"

namespace fmd::machine::testing {
namespace {

using Files = std::vector<std::pair<const char*, const char*>>;

class SensorsTest : public SystemTest {
 protected:
  void chip(const std::string& name, const Files& files) {
    const std::string folder = "/sys/class/hwmon/" + name;
    tree_.file(folder + "/name", name + "\n");
    for (const auto& [file, text] : files) set(name, file, text);
  }
  void set(const std::string& chip, const std::string& file, const std::string& text) {
    tree_.file("/sys/class/hwmon/" + chip + "/" + file, text + "\n");
  }
  void start_hasty() {
    start({.rescan = 1h,
           .readings = 20ms,
           .device_deadline = 10s,
           .state_file = tree_.root() + "/memory.json"});
  }
  static std::string sensor(const std::string& name) { return "hc://system=host/sensor=" + name; }
  json is(const std::string& name, const char* property) {
    return core_.property(sensor(name), property);
  }
  bool becomes(const std::string& name, const char* property, const json& value) {
    return loop_.until([&] { return is(name, property) == value; });
  }
};

TEST_F(SensorsTest, AFanThatHasTurnedAndStandsStill) {
  chip("it8728", {{"fan2_input", "1180"}, {"fan2_min", "0"}, {"fan2_alarm", "0"}, {"pwm2", "96"}});
  start_hasty();
  ASSERT_TRUE(becomes("it8728-fan2", "rotation", "turning"));
  EXPECT_TRUE(becomes("it8728-fan2", "seen_good", true));
  EXPECT_EQ(is("it8728-fan2", "monitored"), true);
  EXPECT_EQ(is("it8728-fan2", "observed_by"), "hwmon");
  set("it8728", "fan2_input", "0");
  EXPECT_TRUE(becomes("it8728-fan2", "rotation", "standing"));
  set("it8728", "pwm2", "0");
  EXPECT_TRUE(becomes("it8728-fan2", "rotation", "stopped")) << "on purpose";
  set("it8728", "fan2_input", "n/a");
  EXPECT_TRUE(becomes("it8728-fan2", "rotation", "unknown"));
  // A sensor seen good before is also known after a restart.
  set("it8728", "fan2_input", "0");
  set("it8728", "pwm2", "96");
  plugin_.reset();
  core_.resources.clear();
  start_hasty();
  ASSERT_TRUE(becomes("it8728-fan2", "rotation", "standing"));
  EXPECT_EQ(is("it8728-fan2", "seen_good"), true);
}

TEST_F(SensorsTest, AConnectorWithoutAFanWasNeverSeenGood) {
  chip("nct6798", {{"fan5_input", "0"}, {"fan5_min", "598"}, {"fan5_alarm", "1"}, {"pwm5", "153"}});
  start_hasty();
  ASSERT_TRUE(becomes("nct6798-fan5", "rotation", "standing"));
  EXPECT_EQ(is("nct6798-fan5", "status"), "alarm");
  EXPECT_EQ(is("nct6798-fan5", "seen_good"), json());
}

// Noise gives an empty connector a speed now and then, but not in several consecutive readings.
TEST(SensorStatesTest, OneGoodReadingIsNoSensor) {
  const std::string fan = "hc://system=host/sensor=it8686-fan3";
  const std::vector<Gauge> gauges{{fan, "value", "", 1, "rpm"}, {fan, "fault", "", 1, ""}};
  const auto seen_good = [&](const std::vector<double>& speeds, double fault) {
    SensorStates states("");
    for (const double speed : speeds)
      states.take(gauges, {speed, fault}, [](const std::string&) { return true; });
    json sensor{{"fmri", fan}, {"properties", json::object()}};
    states.add_to(sensor);
    return sensor["properties"].value("seen_good", false);
  };
  EXPECT_FALSE(seen_good({337, 0, 0, 412, 0, 990, 1010, 0}, 0));
  EXPECT_TRUE(seen_good({0, 870, 880, 860, 0}, 0));
  EXPECT_FALSE(seen_good({870, 880, 860, 870}, 1)) << "its flag says that the fan is not there";
}

TEST_F(SensorsTest, AFanThatNothingMonitors) {
  chip("amdgpu", {{"fan1_input", "910"}, {"fan1_min", "0"}, {"fan1_max", "3300"}, {"pwm1", "61"}});
  chip("dell_smm", {{"fan1_input", "2250"}, {"fan1_min", "600"}});
  start_hasty();
  ASSERT_TRUE(becomes("amdgpu-fan1", "rotation", "turning"));
  EXPECT_EQ(is("amdgpu-fan1", "monitored"), false);
  EXPECT_EQ(is("amdgpu-fan1", "limit_low"), json());
  EXPECT_EQ(is("dell_smm-fan1", "monitored"), true);
}

// Chips whose only sign of a dead fan is a flag or the PWM that drives it.
TEST_F(SensorsTest, AFanWithoutALimitIsMonitoredByItsFlagOrItsPwm) {
  chip("emc2305", {{"fan1_input", "4100"}, {"fan1_fault", "0"}});
  chip("max31790", {{"fan3_input", "5200"}, {"fan3_fault", "0"}, {"pwm3_enable", "2"}});
  chip("lm63", {{"fan1_input", "2900"}, {"fan1_min_alarm", "0"}});
  chip("pwmfan", {{"fan1_input", "1800"}, {"pwm1", "128"}, {"pwm1_enable", "1"}});
  chip("nct6116", {{"fan2_input", "900"}, {"pwm2", "255"}, {"pwm2_enable", "0"}});
  chip("thinkpad", {{"fan1_input", "3100"}, {"pwm1", "255"}, {"pwm1_enable", "2"}});
  chip("corsairpsu", {{"fan1_input", "700"}});
  start_hasty();
  for (const char* fan :
       {"emc2305-fan1", "max31790-fan3", "lm63-fan1", "pwmfan-fan1", "nct6116-fan2"}) {
    ASSERT_TRUE(becomes(fan, "seen_good", true)) << fan;
    EXPECT_EQ(is(fan, "monitored"), true) << fan;
  }
  for (const char* fan : {"thinkpad-fan1", "corsairpsu-fan1"})
    EXPECT_EQ(is(fan, "monitored"), false) << fan << " may stand while it is cool";
  set("emc2305", "fan1_input", "0");
  set("emc2305", "fan1_fault", "1");
  set("pwmfan", "fan1_input", "0");
  for (const char* fan : {"emc2305-fan1", "pwmfan-fan1"})
    EXPECT_TRUE(becomes(fan, "rotation", "standing")) << fan;
  EXPECT_EQ(is("emc2305-fan1", "seen_good"), true);
}

TEST_F(SensorsTest, ATemperatureThatWasBelowItsCriticalLimit) {
  chip("k10temp", {{"temp1_input", "61250"}, {"temp1_max", "70000"}, {"temp1_crit", "95000"}});
  start_hasty();
  ASSERT_TRUE(becomes("k10temp-temp1", "seen_good", true));
  EXPECT_EQ(is("k10temp-temp1", "limit_critical"), 95.0);
  EXPECT_EQ(is("k10temp-temp1", "rotation"), json());
  set("k10temp", "temp1_input", "97500");
  EXPECT_TRUE(loop_.until([&] { return reading(sensor("k10temp-temp1"), "value") == 97.5; }));
  EXPECT_EQ(is("k10temp-temp1", "seen_good"), true);
}

// JEDEC's sensor on a module, with limits that no firmware has set: all three flags are set.
TEST_F(SensorsTest, LimitsThatNobodyHasSetAreNone) {
  chip("jc42", {{"temp1_input", "36750"},
                {"temp1_min", "0"},
                {"temp1_max", "0"},
                {"temp1_crit", "0"},
                {"temp1_alarm", "1"},
                {"temp1_crit_alarm", "1"}});
  chip("it8772", {{"fan3_input", "804"}, {"fan3_min", "0"}, {"fan3_alarm", "1"}});
  start_hasty();
  ASSERT_TRUE(becomes("jc42-temp1", "status", "ok"));
  for (const char* limit : {"limit_low", "limit_high"})
    EXPECT_EQ(is("jc42-temp1", limit), limit == std::string("limit_low") ? json(0.0) : json());
  EXPECT_EQ(is("jc42-temp1", "limit_critical"), json());
  EXPECT_EQ(is("jc42-temp1", "seen_good"), json());
  EXPECT_TRUE(becomes("it8772-fan3", "status", "ok"));
}

TEST_F(SensorsTest, AnInputWithoutAThermistor) {
  chip("nct6798", {{"temp2_input", "127500"},
                   {"temp2_crit", "125000"},
                   {"temp4_input", "-62000"},
                   {"temp4_crit", "125000"},
                   {"temp5_input", "109000"},
                   {"temp5_crit", "100000"}});
  start_hasty();
  ASSERT_TRUE(loop_.until([&] { return reading(sensor("nct6798-temp5"), "value") == 109.0; }));
  for (const char* name : {"nct6798-temp2", "nct6798-temp4"}) {
    EXPECT_EQ(is(name, "status"), "unknown");
    EXPECT_EQ(reading(sensor(name), "value"), json());
    EXPECT_EQ(is(name, "seen_good"), json());
  }
  EXPECT_EQ(is("nct6798-temp5", "seen_good"), json()) << "it was never below its limit";
}

}  // namespace
}  // namespace fmd::machine::testing
