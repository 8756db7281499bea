// The SMART plugin's self-test plan (smart_test.h); parts_test.cpp covers which tests are due.
#include "plugins/smart/tests/smart_test.h"

namespace fmd::smart::testing {
namespace {

TEST_F(SmartTest, SelfTestsByPlanOneOfAPoolAtATime) {
  options_.selftest.short_every = 168h;
  options_.retry = 100ms;
  for (int i = 1; i <= 2; ++i) {
    const std::string name = i == 1 ? "sda" : "sdb", number = "8:" + std::to_string(i);
    disk(name, i);
    tree_.file("/sys/block/" + name + "/dev", number + "\n");
    tree_.file("/run/udev/data/b" + number, "E:ID_FS_UUID=11864\nE:ID_FS_TYPE=zfs_member\n");
    answer(name, "sata.json");
    answer("test-" + name, "sata.json");
  }
  // A disk reports a running test.
  tree_.file("/printed/sata-self-test-running.json", fixture("sata-self-test-running.json"));
  script("test-sda",
         "echo 'cat \"$FMD_HOST_ROOT/printed/sata-self-test-running.json\"' > "
         "\"$FMD_HOST_ROOT/answers/sda\"");
  start();
  ASSERT_TRUE(loop_.until([&] { return core_.property(kDisk, "smart.self_test") == "running"; }));
  EXPECT_EQ(asked("-j -t short /dev/sda"), 1u);
  const size_t before = asked("-x -n standby,3 /dev/sda");
  ASSERT_TRUE(loop_.until([&] { return asked("-x -n standby,3 /dev/sda") > before + 1; }))
      << "followed to its end";
  EXPECT_EQ(asked("-t short /dev/sdb"), 0u);
  // Its end: the log shows the disk's hours at that time.
  tree_.file("/printed/done.json",
             R"({"smartctl":{},"device":{"protocol":"ATA"},"power_on_time":{"hours":1},
                 "ata_smart_data":{"capabilities":{"self_tests_supported":true}},
                 "ata_smart_self_test_log":{"standard":{"table":[
                   {"type":{"value":1},"status":{"value":0},"lifetime_hours":1}]}}})");
  script("sda", "cat \"$FMD_HOST_ROOT/printed/done.json\"");
  ASSERT_TRUE(loop_.until([&] { return asked("-t short /dev/sdb") == 1; }));
  EXPECT_TRUE(loop_.until([&] { return core_.property(kDisk, "smart.self_test") == "passed"; }));
}

// No retry at each query: both disks are planned for at once, and only the other one is asked.
TEST_F(SmartTest, ARefusedSelfTestIsNotTriedAtOnce) {
  options_.selftest.short_every = 168h;
  options_.at_once = 1;
  disk("sda", 1);
  disk("sdb", 2);
  answer("sda", "sata.json");
  answer("sdb", "standby.json", 3);
  answer("test-sda", "open-failed.json", 2);
  answer("test-sdb", "sata.json");
  start();
  ASSERT_TRUE(loop_.until([&] { return asked("-t short /dev/sda") == 1; }));
  answer("sdb", "sata.json");
  EXPECT_EQ(command("refresh", "smart://wwn=5000c500a0000001")["status"], "done");
  EXPECT_EQ(command("refresh", "smart://wwn=5000c500a0000002")["status"], "done");
  ASSERT_TRUE(loop_.until([&] { return asked("-t short /dev/sdb") == 1; }));
  EXPECT_EQ(asked("-t short /dev/sda"), 1u);
}

// A bridge may accept the command and drop it; that disk must not be tested after each query.
// at_once = 1, so that the plan for sda is observed before sdb's.
TEST_F(SmartTest, ASelfTestThatTheLogNeverShowsIsNotStartedAgain) {
  options_.selftest.long_every = 168h;
  options_.selftest.short_every = 24h;
  options_.at_once = 1;
  disk("sda", 1);
  disk("sdb", 2);
  answer("sda", "sata.json");
  answer("sdb", "standby.json", 3);
  answer("test-sda", "sata.json");
  answer("test-sdb", "sata.json");
  start();
  ASSERT_TRUE(loop_.until([&] { return asked("-t long /dev/sda") == 1; }));
  EXPECT_EQ(command("refresh", "smart://wwn=5000c500a0000001")["status"], "done");
  answer("sdb", "sata.json");
  EXPECT_EQ(command("refresh", "smart://wwn=5000c500a0000002")["status"], "done");
  ASSERT_TRUE(loop_.until([&] { return asked("-t long /dev/sdb") == 1; }));
  EXPECT_EQ(asked("-t "), 2u) << tree_.read("/asked");
}

TEST_F(SmartTest, ARefusedSelfTestIsTriedAgainInItsTurn) {
  options_.selftest.short_every = 200ms;
  disk();
  answer("sda", "sata.json");
  answer("test-sda", "open-failed.json", 2);
  start();
  EXPECT_TRUE(loop_.until([&] { return asked("-t short /dev/sda") >= 3; }));
  EXPECT_EQ(asked("-x"), 1u) << "it needs no look in between";
}

}  // namespace
}  // namespace fmd::smart::testing
