// The SMART plugin: its queries, their intervals and its reports (smart_test.h).
#include "plugins/smart/tests/smart_test.h"

namespace fmd::smart::testing {
namespace {

TEST_F(SmartTest, TellsWhatADiskSays) {
  disk();
  answer("sda", "sata-failing.json", 24);
  start();
  ASSERT_TRUE(state_is(kDisk, "observed"));
  EXPECT_EQ(core_.property(kDisk, "smart.status"), "failed");
  EXPECT_EQ(core_.property(kDisk, "smart.protocol"), "ata");
  EXPECT_EQ(core_.property(kDisk, "smart.pending"), 24);
  EXPECT_EQ(core_.property(kDisk, "rotation_rpm"), 7200);
  ASSERT_TRUE(loop_.until([&] { return core_.count("readings") > 0; }));
  const json readings = core_.of("readings").at(0)["readings"];
  const auto crc = std::find_if(readings.begin(), readings.end(),
                                [](const json& one) { return one["name"] == "smart.crc"; });
  ASSERT_NE(crc, readings.end());
  EXPECT_EQ((*crc)["value"], 57);
  EXPECT_EQ((*crc)["resource"], kDisk);
  ASSERT_TRUE(loop_.until([&] { return core_.events.size() == 2; }));
  EXPECT_EQ(told(), (Names{"ereport.disk.smart.failed", "ereport.disk.smart.self_test_failed"}));
  EXPECT_EQ(core_.events[0]["payload"]["failing"], "5 Reallocated_Sector_Ct");
  EXPECT_EQ(tree_.read("/asked"), "-j -x -n standby,3 /dev/sda\n");
}

TEST_F(SmartTest, LooksAgainAtItsInterval) {
  options_.interval = 50ms;
  disk();
  answer("sda", "sata.json");
  start();
  ASSERT_TRUE(state_is(kDisk, "observed"));
  answer("sda", "sata-failing.json", 24);
  ASSERT_TRUE(loop_.until([&] { return core_.property(kDisk, "smart.status") == "failed"; }));
  EXPECT_GE(asked(), 2u);
}

// New temperatures must not make fmd rewrite resources.
TEST_F(SmartTest, WhatIsOnlyMeasuredGoesAsReadings) {
  options_.interval = 50ms;
  disk();
  answer("sda", "sata.json");
  start();
  ASSERT_TRUE(state_is(kDisk, "observed"));
  ASSERT_TRUE(loop_.until([&] { return core_.count("readings") > 1; }));
  const size_t told = core_.count("inventory");
  std::string warmer = fixture("sata.json");
  const std::string was = "\"current\": 31";
  ASSERT_NE(warmer.find(was), warmer.npos);
  warmer.replace(warmer.find(was), was.size(), "\"current\": 44");
  tree_.file("/printed/warmer.json", warmer);
  script("sda", "cat \"$FMD_HOST_ROOT/printed/warmer.json\"");
  const auto is_warmer = [&] {
    const json last = core_.of("readings").back()["readings"];
    return std::any_of(last.begin(), last.end(), [](const json& one) {
      return one["name"] == "temperature_celsius" && one["value"] == 44;
    });
  };
  ASSERT_TRUE(loop_.until(is_warmer));
  EXPECT_EQ(core_.count("inventory"), told);
  answer("sda", "sata-failing.json", 24);
  EXPECT_TRUE(loop_.until([&] { return core_.property(kDisk, "smart.status") == "failed"; }));
}

TEST_F(SmartTest, ASleeperIsNotWokenUntilTheLimit) {
  options_.interval = 50ms;
  options_.standby_skips = 3;
  disk();
  answer("sda", "sata.json");
  start();
  ASSERT_TRUE(state_is(kDisk, "observed"));
  answer("sda", "standby.json", 3);
  ASSERT_TRUE(state_is(kDisk, "standby"));
  EXPECT_EQ(core_.property(kDisk, "smart.status"), "passed") << "its last word";
  ASSERT_TRUE(loop_.until([&] { return asked("-j -x /dev/sda") == 1; }))
      << "after three looks left out it is asked all the same";
  EXPECT_GE(asked("standby,3"), 4u);
  EXPECT_TRUE(told().empty()) << "sleeping is no fault";
}

TEST_F(SmartTest, AHungOneHoldsNobodyUpAndIsNotAskedTwice) {
  options_.deadline = 3s;
  options_.retry = 50ms;
  options_.at_once = 1;
  disk("sda", 1);
  disk("sdb", 2);
  script("sda", "trap '' TERM; while :; do sleep 0.05; done");
  answer("sdb", "sata.json");
  start();
  ASSERT_TRUE(state_is(kDisk, "hung"));
  ASSERT_TRUE(state_is(kOther, "observed"));
  EXPECT_EQ(asked("/dev/sda"), 1u) << "again while the first one was not over";
  ASSERT_TRUE(loop_.until([&] { return core_.events.size() == 1; }));
  EXPECT_EQ(core_.events[0]["class"], "ereport.disk.smart.hung");
  EXPECT_EQ(core_.events[0]["payload"]["seconds"], 3);
  ASSERT_TRUE(loop_.until([&] {
    return !core_.of("status").empty() && core_.of("status").back()["state"] == "degraded";
  }));
  // SIGKILL ends it a second after its deadline; then the disk is queried again and responds.
  answer("sda", "sata.json");
  ASSERT_TRUE(state_is(kDisk, "observed"));
  ASSERT_TRUE(loop_.until([&] { return core_.events.size() == 2; }));
  EXPECT_EQ(core_.events[1]["payload"]["condition"], "hung");
  ASSERT_TRUE(loop_.until([&] { return core_.of("status").back()["state"] == "ok"; }));
}

TEST_F(SmartTest, SoManyAtOnceAndNotMore) {
  options_.at_once = 3;
  for (int i = 1; i <= 9; ++i) {
    const std::string name = std::string("sd") + static_cast<char>('a' + i);
    disk(name, i);
    tree_.file("/printed/sata.json", fixture("sata.json"));
    script(name, "sleep 0.1; cat \"$FMD_HOST_ROOT/printed/sata.json\"");
  }
  start();
  ASSERT_TRUE(loop_.until([&] { return core_.resources.size() == 9; }));
  std::istringstream counts(tree_.read("/at-once"));
  int most = 0;
  for (int count = 0; counts >> count;) most = std::max(most, count);
  EXPECT_LE(most, 3);
  EXPECT_GE(most, 2);
}

TEST_F(SmartTest, OneThatCannotBeAskedIsNotObservedAndNotFailed) {
  disk();
  answer("sda", "usb-unknown.json", 1);
  start();
  ASSERT_TRUE(state_is(kDisk, "not-observed"));
  EXPECT_EQ(core_.property(kDisk, "smart.reason"),
            "/dev/sda: Unknown USB bridge [0x152d:0x0578 (0x209)]");
  EXPECT_TRUE(core_.property(kDisk, "smart.status").is_null());
  ASSERT_TRUE(loop_.until([&] {
    return !core_.of("status").empty() &&
           core_.of("status").back()["reason"] ==
               "1 disk cannot be asked; " + std::string(kDisk) +
                   ": /dev/sda: Unknown USB bridge [0x152d:0x0578 (0x209)]";
  }));
  EXPECT_TRUE(told().empty());
}

TEST_F(SmartTest, TheNextPathWhenOneFails) {
  options_.interval = 50ms;
  disk("sda", 1);
  disk("sdb", 1);
  answer("sda", "open-failed.json", 2);
  answer("sdb", "sata.json");
  start();
  EXPECT_TRUE(state_is(kDisk, "observed"));
  EXPECT_EQ(core_.resources.size(), 1u);
}

TEST_F(SmartTest, HotPlug) {
  start();
  disk();
  answer("sda", "sata.json");
  plugin_->on_udev({"add", "block", "sda"});
  ASSERT_TRUE(state_is(kDisk, "observed"));
  // Another disk in its place: the old one is no longer queried.
  tree_.remove("/sys/block/sda");
  disk("sda", 2);
  plugin_->on_udev({"change", "block", "sda"});
  ASSERT_TRUE(state_is(kOther, "observed"));
  EXPECT_EQ(command("refresh", "smart://wwn=5000c500a0000001")["status"], "refused");
}

// The diskseq stays the same.
TEST_F(SmartTest, AnotherDiskThatUdevTellsOf) {
  disk();
  tree_.file("/sys/block/sda/diskseq", "7\n");
  answer("sda", "sata.json");
  start();
  ASSERT_TRUE(state_is(kDisk, "observed"));
  disk("sda", 2);
  plugin_->on_udev({"change", "block", "sda"});
  EXPECT_TRUE(state_is(kOther, "observed"));
  disk("sda", 1);
  plugin_->on_udev({"lost", "", ""});
  EXPECT_TRUE(loop_.until([&] { return asked() == 3; }));
}

TEST_F(SmartTest, WordsOfAnotherDiskAreNotTaken) {
  disk();
  tree_.file("/sys/block/sda/diskseq", "7\n");
  tree_.file("/printed/sata-failing.json", fixture("sata-failing.json"));
  // During the query another disk gets the name.
  script("sda",
         "echo naa.5000c500a0000002 > \"$FMD_HOST_ROOT/sys/block/sda/device/wwid\"\n"
         "cat \"$FMD_HOST_ROOT/printed/sata-failing.json\"; exit 24");
  start();
  ASSERT_TRUE(state_is(kOther, "observed")) << "found by looking again, and asked itself";
  EXPECT_FALSE(core_.resources.contains(kDisk));
}

TEST_F(SmartTest, ARestartRepeatsNoEvents) {
  disk();
  answer("sda", "sata-failing.json", 24);
  start();
  ASSERT_TRUE(loop_.until([&] { return core_.events.size() == 2 && !core_.cursor.empty(); }));
  plugin_.reset();
  const size_t inventories = core_.count("inventory");
  start();
  ASSERT_TRUE(loop_.until([&] { return core_.count("inventory") > inventories; }));
  loop_.drain();
  EXPECT_EQ(core_.events.size(), 2u);
}

TEST_F(SmartTest, TheCoreGetsAllAgainOnANewConnection) {
  disk();
  answer("sda", "sata.json");
  start();
  ASSERT_TRUE(state_is(kDisk, "observed"));
  core_.stop();
  core_.resources.clear();
  core_.listen();
  EXPECT_TRUE(state_is(kDisk, "observed"));
  EXPECT_EQ(asked(), 1u) << "a new connection is no reason to ask the disks";
}

TEST_F(SmartTest, WithoutSmartctlAndDisksNothingIsMissed) {
  tree_.remove("/tools/smartctl");
  tree_.link("/tools/smartctl", "/dev/null");
  tree_.folder("/sys/block");
  start();
  ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  EXPECT_EQ(core_.of("status").back()["state"], "not-observed");
}

TEST_F(SmartTest, WithoutSmartctlNothingIsObserved) {
  tree_.remove("/tools/smartctl");
  tree_.link("/tools/smartctl", "/dev/null");  // hides this machine's smartctl
  disk();
  start();
  ASSERT_TRUE(state_is(kDisk, "not-observed"));
  EXPECT_EQ(core_.property(kDisk, "smart.reason"), "smartctl: not installed");
  ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  EXPECT_EQ(core_.of("status").back()["state"], "degraded") << "there is a disk";
  EXPECT_EQ(core_.of("status").back()["reason"],
            "smartctl is not installed (Debian: apt install smartmontools)");
}

}  // namespace
}  // namespace fmd::smart::testing
