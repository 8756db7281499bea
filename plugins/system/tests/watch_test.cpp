// Reports of the plugin over time: readings, hot plug, scans that hang.
#include <poll.h>
#include <signal.h>

#include <fstream>

#include "plugins/system/tests/system_rig.h"

namespace fmd::machine::testing {
namespace {

TEST_F(SystemTest, ReadingsSurviveAnInventoryThatNamesTheirResource) {
  testing::sensors(tree_);
  start({.rescan = 1h, .readings = 50ms, .device_deadline = 10s});
  const std::string fan = "hc://system=host/sensor=nct6775-fan1";
  ASSERT_TRUE(loop_.until([&] { return core_.property(fan, "status") == "alarm"; }));
  tree_.file("/sys/class/hwmon/hwmon0/fan1_alarm", "0\n");
  ASSERT_TRUE(loop_.until([&] { return core_.property(fan, "status") == "ok"; }));
  // The message with "ok" deletes the reading in the core, so it is sent again right after it.
  size_t inventory = 0, readings = 0;
  for (size_t i = 0; i < core_.messages.size(); ++i) {
    const json& message = core_.messages[i];
    if (message["method"] == "inventory") inventory = i;
  }
  const auto told_after = [&] {
    for (size_t i = inventory + 1; i < core_.messages.size(); ++i)
      if (core_.messages[i]["method"] == "readings")
        for (const json& r : core_.messages[i]["params"]["readings"])
          if (r["resource"] == fan) readings = i;
    return readings > inventory;
  };
  EXPECT_TRUE(loop_.until(told_after));
}

TEST_F(SystemTest, ACounterThatStandsStillIsNoNewsATemperatureIs) {
  testing::sas_machine(tree_);
  testing::sensors(tree_);
  start({.rescan = 1h, .readings = 50ms, .device_deadline = 10s});
  const std::string far = "dev://sas=500304801e8a3b3f/phy=8", counter = "invalid_dword_count",
                    temp = "hc://system=host/sensor=nct6775-temp1",
                    fan = "hc://system=host/sensor=nct6775-fan1";
  ASSERT_TRUE(loop_.until([&] { return reading(far, counter) == 7.0; }));
  ASSERT_TRUE(loop_.until([&] { return core_.property(fan, "status") == "alarm"; }));
  refresh("1");
  const size_t counts = told(far, counter).size(), temps = told(temp, "value").size();
  // An inventory message about another part does not cause a repetition either.
  tree_.file("/sys/class/hwmon/hwmon0/fan1_alarm", "0\n");
  ASSERT_TRUE(loop_.until([&] { return core_.property(fan, "status") == "ok"; }));
  ASSERT_TRUE(loop_.until([&] { return told(temp, "value").size() >= temps + 3; }));
  EXPECT_EQ(told(far, counter).size(), counts);
  const std::string phy =
      "/sys/devices/pci0000:00/0000:3a:00.0/0000:3b:00.0/host0/port-0:0/expander-0:0/phy-0:0:8";
  tree_.file(phy + "/sas_phy/phy-0:0:8/" + counter, "9\n");
  EXPECT_TRUE(loop_.until([&] { return reading(far, counter) == 9.0; }));
}

TEST_F(SystemTest, AChipThatComesLaterIsReadAtOnce) {
  testing::sensors(tree_);
  start();
  ASSERT_TRUE(loop_.until(
      [&] { return !reading("hc://system=host/sensor=nct6775-temp1", "value").is_null(); }));
  tree_.file("/sys/class/hwmon/hwmon9/name", "k10temp\n");
  tree_.file("/sys/class/hwmon/hwmon9/temp1_input", "52000\n");
  refresh("1");
  EXPECT_TRUE(loop_.until(
      [&] { return reading("hc://system=host/sensor=k10temp-temp1", "value") == 52.0; }));
}

TEST_F(SystemTest, WhatComesDuringALookIsSeenByTheNext) {
  testing::sata_and_nvme(tree_);
  Options options{.rescan = 1h, .readings = 1h, .device_deadline = 10s};
  options.names = [this](const std::string&) {
    if (host_.exists("/slow")) std::ofstream(host_.path("/looks"), std::ios::app) << "x";
    while (host_.exists("/slow")) poll(nullptr, 0, 5);
    return PciNames();
  };
  start(options);
  tree_.file("/slow", "");
  const auto first = core_.command("refresh", "1", "hc://system=host");
  ASSERT_TRUE(loop_.until([&] { return host_.exists("/looks"); }));
  testing::sas_machine(tree_);
  const auto second = core_.command("refresh", "2", "hc://system=host");
  loop_.drain();
  EXPECT_FALSE(core_.answers.contains(first));
  tree_.remove("/slow");
  ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(second); }));
  EXPECT_TRUE(core_.answers.contains(first));
  EXPECT_TRUE(core_.resources.contains("dev://pci=0000:3b:00.0"));
}

TEST_F(SystemTest, OneLookIsOneLook) {
  testing::sata_and_nvme(tree_);
  testing::sensors(tree_);
  Options options{.rescan = 1h, .readings = 50ms, .device_deadline = 10s};
  options.names = [this](const std::string& alias) {
    std::ofstream(host_.path("/looks"), std::ios::app) << alias << '\n';
    return PciNames();
  };
  start(options);
  refresh("1");
  const std::string looks = tree_.read("/looks"), temp = "hc://system=host/sensor=nct6775-temp1";
  const size_t before = told(temp, "value").size();
  ASSERT_TRUE(loop_.until([&] { return told(temp, "value").size() > before + 30; }));
  EXPECT_EQ(tree_.read("/looks"), looks) << "nobody has asked for another";
}

TEST_F(SystemTest, WhatIsPluggedInLaterIsTold) {
  start();
  testing::sata_and_nvme(tree_);
  plugin_->on_udev({"add", "pci", "0000:00:17.0"});
  ASSERT_TRUE(loop_.until([&] { return core_.resources.contains("dev://pci=0000:00:17.0"); }));
  tree_.remove("/sys/bus/pci/devices/0000:00:17.0");
  plugin_->on_udev({"remove", "pci", "0000:00:17.0"});
  ASSERT_TRUE(loop_.until([&] { return core_.gone.contains("dev://pci=0000:00:17.0"); }));
}

TEST_F(SystemTest, RefreshLooksBeforeItAnswers) {
  start();
  testing::sensors(tree_);
  refresh("k");
  EXPECT_TRUE(core_.resources.contains("hc://system=host/sensor=nct6775-temp1"));
}

TEST_F(SystemTest, ASensorThatCannotBeReadIsUnknown) {
  testing::sensors(tree_);
  start({.rescan = 1h, .readings = 50ms, .device_deadline = 10s});
  const std::string temp = "hc://system=host/sensor=nct6775-temp1";
  ASSERT_TRUE(loop_.until([&] { return core_.property(temp, "status") == "ok"; }));
  tree_.file("/sys/class/hwmon/hwmon0/temp1_input", "n/a\n");
  EXPECT_TRUE(loop_.until([&] { return core_.property(temp, "status") == "unknown"; }));
  EXPECT_EQ(core_.of("status").back()["state"], "ok") << "the chip answers";
}

// Hangs in a child that reads an expander's counters.
std::string hang_at_counters(const sdk::Host& host,
                             const std::vector<const std::vector<Gauge>*>& devices) {
  signal(SIGTERM, SIG_IGN);
  for (const auto* gauges : devices)
    while (gauges->front().unit == "count" &&
           (host.exists("/hang") || (devices.size() == 1 && host.exists("/hang-apart"))))
      poll(nullptr, 0, 5);
  return read_gauges(host, devices);
}

TEST_F(SystemTest, ADeviceThatHangsIsNamedAndOthersGoOn) {
  testing::sas_machine(tree_);
  testing::sensors(tree_);
  start({.rescan = 1h, .readings = 50ms, .device_deadline = 1s, .read = hang_at_counters});
  const std::string far = "dev://sas=500304801e8a3b3f/phy=8", counter = "invalid_dword_count",
                    temp = "hc://system=host/sensor=nct6775-temp1";
  ASSERT_TRUE(loop_.until([&] { return reading(far, counter) == 7.0; }));
  tree_.file("/hang", "");
  // Reading the controller's own counters also hangs, and either may be given up first.
  const auto why = [&] { return core_.of("status").back().value("reason", ""); };
  EXPECT_TRUE(loop_.until([&] { return why().find("expander-0:0") != std::string::npos; }));
  EXPECT_EQ(core_.of("status").back()["state"], "degraded");
  EXPECT_EQ(why().find("nct6775"), std::string::npos) << why();
  const size_t temps = told(temp, "value").size();
  EXPECT_TRUE(loop_.until([&] { return told(temp, "value").size() >= temps + 3; }));
  const std::string phy =
      "/sys/devices/pci0000:00/0000:3a:00.0/0000:3b:00.0/host0/port-0:0/expander-0:0/phy-0:0:8";
  tree_.file(phy + "/sas_phy/phy-0:0:8/" + counter, "9\n");
  // The rest of the machine is scanned again, and its report arrives while the old child still
  // hangs.
  tree_.file("/hang-apart", "");
  tree_.file("/sys/class/hwmon/hwmon9/name", "k10temp\n");
  tree_.file("/sys/class/hwmon/hwmon9/temp1_input", "52000\n");
  refresh("1");
  tree_.remove("/hang");
  EXPECT_TRUE(loop_.until([&] { return reading(far, counter) == 9.0; }));
  EXPECT_TRUE(loop_.until([&] { return core_.of("status").back()["state"] == "ok"; }));
}

TEST_F(SystemTest, ALookThatHangsIsSaidAndEnds) {
  testing::sata_and_nvme(tree_);
  Options options{.rescan = 50ms, .readings = 1h, .device_deadline = 1s};
  options.names = [this](const std::string&) {
    signal(SIGTERM, SIG_IGN);  // like a process that hangs in the kernel
    if (host_.exists("/hang")) std::ofstream(host_.path("/looks"), std::ios::app) << "x";
    while (host_.exists("/hang")) poll(nullptr, 0, 5);
    return PciNames();
  };
  start(options);
  const std::string disk = "dev://pci=0000:00:17.0", chip = "hc://system=host/sensor=nct6775-temp1",
                    why = "the kernel does not answer for the machine's devices";
  ASSERT_TRUE(core_.resources.contains(disk));
  tree_.file("/hang", "");
  std::vector<std::string> looks;
  // One request waits for the scan that hangs, and one arrives meanwhile.
  for (const char* key : {"first", "second"}) {
    const auto id = core_.command("refresh", key, "hc://system=host");
    ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
    EXPECT_EQ(core_.answers[id]["status"], "failed");
    EXPECT_EQ(core_.answers[id]["reason"], why);
    EXPECT_EQ(core_.of("status").back(), json({{"state", "degraded"}, {"reason", why}}));
    looks.push_back(tree_.read("/looks"));
  }
  EXPECT_EQ(looks[0], looks[1]) << "another look while one hung";
  EXPECT_TRUE(core_.resources.contains(disk)) << "what was known stays";
  testing::sensors(tree_);
  tree_.remove("/hang");
  ASSERT_TRUE(loop_.until([&] { return core_.resources.contains(chip); }));
  EXPECT_TRUE(loop_.until([&] { return core_.of("status").back()["state"] == "ok"; }));
  const auto id = core_.command("refresh", "third", "hc://system=host");
  ASSERT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
  EXPECT_EQ(core_.answers[id]["status"], "done");
}

}  // namespace
}  // namespace fmd::machine::testing
