// Commands to the SMART plugin (smart_test.h).
#include "plugins/smart/tests/smart_test.h"

namespace fmd::smart::testing {
namespace {

constexpr const char* kAsked = "smart://wwn=5000c500a0000001";

class SmartCommandTest : public SmartTest {
 protected:
  void SetUp() override {
    SmartTest::SetUp();
    disk();
    answer("sda", "sata.json");
    answer("test-sda", "sata.json");
  }
  void look() {
    start();
    ASSERT_TRUE(state_is(kDisk, "observed"));
  }
  json self_test(const std::string& type) {
    // Repeats it while another query of the disk is running.
    json answer;
    EXPECT_TRUE(loop_.until([&] {
      answer = command("selftest", kAsked, {{"type", type}});
      return answer["status"] != "refused" ||
             answer["reason"] != "the disk is being asked; try again in a minute";
    }));
    return answer;
  }
};

TEST_F(SmartCommandTest, WhatARefreshBringsIsToldBeforeItsAnswer) {
  look();
  answer("sda", "sata-failing.json", 24);
  const json done = command("refresh", kAsked);
  EXPECT_EQ(done["status"], "done");
  EXPECT_EQ(done["reason"], "");
  EXPECT_EQ(core_.property(kDisk, "smart.status"), "failed");
}

TEST_F(SmartCommandTest, ARefreshSaysThatTheDiskSleepsOrCannotBeAsked) {
  look();
  answer("sda", "standby.json", 3);
  const json asleep = command("refresh", kAsked);
  EXPECT_EQ(asleep["status"], "done");
  EXPECT_EQ(asleep["reason"], "it is in standby, and was left so");
  EXPECT_EQ(core_.property(kDisk, "smart.state"), "standby");
  answer("sda", "open-failed.json", 2);
  const json gone = command("refresh", kAsked);
  EXPECT_EQ(gone["status"], "failed");
  EXPECT_EQ(gone["reason"], "Smartctl open device: /dev/sda failed: No such device");
}

TEST_F(SmartCommandTest, SelfTests) {
  look();
  EXPECT_EQ(self_test("long")["status"], "done");
  EXPECT_EQ(asked("-j -t long /dev/sda"), 1u);
  EXPECT_EQ(self_test("short")["status"], "done");
  EXPECT_EQ(self_test("abort")["status"], "done");
  EXPECT_EQ(asked("-j -X /dev/sda"), 1u);
  EXPECT_EQ(self_test("thorough")["status"], "refused");
  EXPECT_EQ(command("selftest", kAsked)["status"], "refused");
  EXPECT_EQ(command("selftest", kAsked, {{"type", 7}})["status"], "refused");
  EXPECT_EQ(command("selftest", "smart://wwn=7", {{"type", "long"}})["reason"],
            "there is no such disk");
  EXPECT_EQ(asked(" -t "), 2u);
}

// smartctl's reason is not in its JSON.
TEST_F(SmartCommandTest, SelfTestsThatDoNotBegin) {
  look();
  script("test-sda", "echo '{\"smartctl\":{}}'; exit 4");
  EXPECT_EQ(self_test("short")["status"], "failed");
  EXPECT_EQ(self_test("short")["reason"], "the disk refused it");
  answer("sda", "sata-self-test-running.json");
  EXPECT_EQ(command("refresh", kAsked)["status"], "done");
  EXPECT_EQ(self_test("short")["reason"], "a self-test is under way already");
  answer("test-sda", "open-failed.json", 2);
  EXPECT_EQ(self_test("short")["reason"], "Smartctl open device: /dev/sda failed: No such device");
  script("test-sda", "exit 1");
  EXPECT_EQ(self_test("short")["reason"], "smartctl: exit 1");
}

}  // namespace
}  // namespace fmd::smart::testing
