// Disks behind a RAID controller, which only this plugin sees (smart_test.h).
#include "plugins/smart/tests/smart_test.h"

namespace fmd::smart::testing {
namespace {

TEST_F(SmartTest, DisksBehindARaidController) {
  options_.passthrough = {{"/dev/sda", "megaraid,4"}};
  answer("sda", "sata-failing.json", 24);
  start();
  ASSERT_TRUE(state_is(kDisk, "observed"));
  EXPECT_EQ(core_.property(kDisk, "serial"), "SATA0001");
  EXPECT_EQ(tree_.read("/asked"), "-j -x -n standby,3 -d megaraid,4 /dev/sda\n");
  EXPECT_TRUE(core_.of("inventory").back()["resources"][0]["present"]);
  answer("sda", "open-failed.json", 2);
  EXPECT_EQ(command("refresh", "smart://wwn=5000c500a0000001")["status"], "failed");
  ASSERT_TRUE(state_is(kDisk, "not-observed"));
  EXPECT_FALSE(core_.of("inventory").back()["resources"][0]["present"]);
}

// Some HBAs do this: the disk behind them is also a disk of the system.
TEST_F(SmartTest, ADiskThatIsSeenBothWaysIsToldOnce) {
  options_.passthrough = {{"/dev/sg0", "megaraid,4"}};
  options_.interval = 50ms;
  disk("sda", 1);
  answer("sda", "sata-failing.json", 24);
  answer("sg0", "sata-failing.json", 24);
  start();
  const auto measured = [&] {
    size_t count = 0;
    for (const json& message : core_.of("readings"))
      for (const json& one : message["readings"])
        if (one["resource"] == kDisk && one["name"] == "temperature_celsius") ++count;
    return count;
  };
  const auto asked_more = [&](size_t times) {
    const size_t directly = asked("/dev/sda"), behind = asked("megaraid,4");
    return loop_.until([&] {
      return asked("/dev/sda") > directly + times && asked("megaraid,4") > behind + times;
    });
  };
  ASSERT_TRUE(asked_more(2));
  const size_t told = core_.count("inventory"), before = measured(), looks = asked("/dev/sda");
  ASSERT_TRUE(asked_more(5));
  EXPECT_GT(measured(), before);
  EXPECT_LE(measured() - before, asked("/dev/sda") - looks + 1) << "the one under way then";
  const auto messages = core_.of("inventory");
  for (size_t i = told; i < messages.size(); ++i)
    for (const json& one : messages[i]["resources"])
      EXPECT_FALSE(one["present"]) << "told as one that only smartctl sees: " << one;
}

constexpr const char* kOlder =
    "dev://serial=QEMU%20HARDDISK:SATA0001";  // of sata.json, without WWN

TEST_F(SmartTest, AnotherDiskBehindARaidController) {
  options_.passthrough = {{"/dev/sda", "megaraid,4"}};
  answer("sda", "sata-failing.json", 24);
  start();
  ASSERT_TRUE(state_is(kDisk, "observed"));
  answer("sda", "sata.json");
  EXPECT_EQ(command("refresh", "smart://wwn=5000c500a0000001")["status"], "done");
  ASSERT_TRUE(state_is(kOlder, "observed"));
  EXPECT_EQ(core_.gone[kDisk], "removed");
  EXPECT_FALSE(core_.resources.contains(kDisk));
}

// Whichever of the two places is queried first.
TEST_F(SmartTest, ADiskThatMovesBehindARaidControllerIsThere) {
  options_.passthrough = {{"/dev/sda", "megaraid,4"}, {"/dev/sda", "megaraid,5"}};
  options_.interval = 50ms;
  answer("sda", "sata-failing.json", 24);
  tree_.file("/printed/open-failed.json", fixture("open-failed.json"));
  const auto only_at = [&](const std::string& place) {
    script("sda", "case \"$*\" in *" + place +
                      "*) cat \"$FMD_HOST_ROOT/printed/sata-failing.json\"; exit 24;; esac; "
                      "cat \"$FMD_HOST_ROOT/printed/open-failed.json\"; exit 2");
  };
  for (const char* place : {"megaraid,5", "megaraid,4", "megaraid,5"}) {
    only_at(place);
    if (!plugin_) start();
    // Both disks have been queried at their present place.
    const size_t fours = asked("megaraid,4"), fives = asked("megaraid,5");
    ASSERT_TRUE(loop_.until(
        [&] { return asked("megaraid,4") > fours + 2 && asked("megaraid,5") > fives + 2; }));
    const size_t told = core_.count("inventory");
    ASSERT_TRUE(loop_.until(
        [&] { return asked("megaraid,4") > fours + 4 && asked("megaraid,5") > fives + 4; }));
    const auto messages = core_.of("inventory");
    for (size_t i = told; i < messages.size(); ++i) {
      EXPECT_TRUE(messages[i]["gone"].empty()) << messages[i];
      for (const json& one : messages[i]["resources"]) EXPECT_TRUE(one["present"]) << one;
    }
    EXPECT_EQ(core_.property(kDisk, "smart.state"), "observed");
  }
}

TEST_F(SmartTest, WhatWentWhileItWasNotRunningIsGone) {
  options_.passthrough = {{"/dev/sda", "megaraid,4"}};
  answer("sda", "sata-failing.json", 24);
  disk("sdb", 2);
  answer("sdb", "sata.json");
  start();
  ASSERT_TRUE(state_is(kDisk, "observed"));
  ASSERT_TRUE(state_is(kOther, "observed"));
  plugin_.reset();
  options_.passthrough.clear();
  start();
  EXPECT_TRUE(loop_.until([&] { return core_.gone.contains(kDisk); }));
  EXPECT_TRUE(core_.resources.contains(kOther)) << "told before it was looked at";
}

}  // namespace
}  // namespace fmd::smart::testing
