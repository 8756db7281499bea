// The SMART plugin on sysfs trees, against a core on a real socket. smartctl is a stand-in that
// answers by a script beside the tree, one a device.
#include "plugins/smart/smart_plugin.h"

#include "plugins/sdk/tests/support.h"
#include "plugins/smart/tests/fixture.h"

namespace fmd::smart {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using sdk::testing::FakeCore;
using sdk::testing::Loop;
using sdk::testing::TempTree;

// Counts how many run at once as well.
constexpr const char* kSmartctl = R"(#!/bin/sh
echo "$*" | sed "s,$FMD_HOST_ROOT,," >> "$FMD_HOST_ROOT/asked"
for last; do :; done
name=$(basename "$last")
case "$*" in *" -t "*) name=test-$name;; esac
touch "$FMD_HOST_ROOT/running/$$"
ls "$FMD_HOST_ROOT/running" | wc -l >> "$FMD_HOST_ROOT/at-once"
trap 'rm -f "$FMD_HOST_ROOT/running/$$"' EXIT
. "$FMD_HOST_ROOT/answers/$name"
)";

constexpr const char* kDisk = "dev://wwn=5000c500a0000001";
constexpr const char* kOther = "dev://wwn=5000c500a0000002";

class SmartTest : public ::testing::Test {
 protected:
  Loop loop_;
  TempTree tree_;
  FakeCore core_{loop_, tree_.root() + "/s"};
  sdk::Host host_{loop_, tree_.root(), tree_.root() + "/tools"};
  Options options_;
  std::unique_ptr<SmartPlugin> plugin_;

  void SetUp() override {
    tree_.file("/tools/smartctl", kSmartctl, 0755);
    tree_.file("/asked", "");
    tree_.folder("/running");
    tree_.folder("/sys/block");
    tree_.folder("/answers");
    options_.interval = 1h;
    options_.rescan = 1h;
    options_.retry = 1h;
    options_.deadline = 10s;
  }
  void plug(const std::string& name, const std::string& wwn) {
    tree_.file("/sys/block/" + name + "/device/wwid", "naa." + wwn + "\n");
    tree_.file("/sys/block/" + name + "/size", "1000\n");
  }
  void disk(const std::string& name = "sda", int number = 1) {
    plug(name, "5000c500a000000" + std::to_string(number));
  }
  void answer(const std::string& name, const std::string& fixture, int status = 0) {
    tree_.file("/printed/" + fixture, testing::fixture(fixture));
    script(name, "cat \"$FMD_HOST_ROOT/printed/" + fixture + "\"; exit " + std::to_string(status));
  }
  void script(const std::string& name, const std::string& text) {
    tree_.file("/answers/" + name, text + "\n");
  }
  void start() {
    plugin_ = std::make_unique<SmartPlugin>(loop_, host_, tree_.root() + "/s", options_);
    ASSERT_TRUE(loop_.until([&] { return core_.connected(); }));
  }
  bool state_is(const std::string& fmri, const std::string& state) {
    return loop_.until([&] { return core_.property(fmri, "smart.state") == state; });
  }
  bool was_asked(size_t times) {
    return loop_.until([&] { return asked() >= times; });
  }
  size_t asked(const std::string& what = "\n") const {
    const std::string text = tree_.read("/asked");
    size_t count = 0;
    for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
    return count;
  }
  json command(const std::string& name, const std::string& fmri, json args = json::object()) {
    const auto id = core_.command(name, name + std::to_string(++commands_), fmri, std::move(args));
    EXPECT_TRUE(loop_.until([&] { return core_.answers.contains(id); }));
    return core_.answers[id];
  }
  std::vector<std::string> told() const {
    std::vector<std::string> classes;
    for (const auto& event : core_.events) classes.push_back(event["class"]);
    return classes;
  }
  int commands_ = 0;
};
using Names = std::vector<std::string>;

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
  // SIGKILL ends it a second after its deadline; then it is asked again, and answers.
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
    tree_.file("/printed/sata.json", testing::fixture("sata.json"));
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
               "1 disk(s) cannot be asked; /dev/sda: /dev/sda: Unknown USB bridge [0x152d:0x0578 "
               "(0x209)]";
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

TEST_F(SmartTest, HotPlug) {
  start();
  disk();
  answer("sda", "sata.json");
  plugin_->on_udev();
  ASSERT_TRUE(state_is(kDisk, "observed"));
  // Another disk in its place: the old one is not asked any more.
  tree_.remove("/sys/block/sda");
  disk("sda", 2);
  plugin_->on_udev();
  ASSERT_TRUE(state_is(kOther, "observed"));
  EXPECT_EQ(command("refresh", "smart://wwn=5000c500a0000001")["status"], "refused");
}

TEST_F(SmartTest, WordsOfAnotherDiskAreNotTaken) {
  disk();
  tree_.file("/printed/sata-failing.json", testing::fixture("sata-failing.json"));
  // While it is being asked, another disk gets the name.
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

TEST_F(SmartTest, WithoutSmartctlNothingIsObserved) {
  tree_.remove("/tools/smartctl");
  start();
  ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  if (host_.has_tool("smartctl")) {  // this machine's own: the stand-in is only first in the path
    EXPECT_EQ(core_.of("status").back()["state"], "ok");
    return;
  }
  EXPECT_EQ(core_.of("status").back()["state"], "not-observed");
}

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
  // A disk that is being tested says so.
  tree_.file("/printed/sata-self-test-running.json",
             testing::fixture("sata-self-test-running.json"));
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
  // Its end: what the log shows of it is as old as the disk's hours.
  tree_.file("/printed/done.json",
             R"({"smartctl":{},"device":{"protocol":"ATA"},"power_on_time":{"hours":1},
                 "ata_smart_data":{"capabilities":{"self_tests_supported":true}},
                 "ata_smart_self_test_log":{"standard":{"table":[
                   {"type":{"value":1},"status":{"value":0},"lifetime_hours":1}]}}})");
  script("sda", "cat \"$FMD_HOST_ROOT/printed/done.json\"");
  ASSERT_TRUE(loop_.until([&] { return asked("-t short /dev/sdb") == 1; }));
  EXPECT_EQ(core_.property(kDisk, "smart.self_test"), "passed");
}

TEST_F(SmartTest, Commands) {
  disk();
  answer("sda", "sata.json");
  answer("test-sda", "sata.json");
  start();
  ASSERT_TRUE(state_is(kDisk, "observed"));
  answer("sda", "sata-failing.json", 24);
  EXPECT_EQ(command("refresh", "smart://wwn=5000c500a0000001")["status"], "done");
  ASSERT_TRUE(loop_.until([&] { return core_.property(kDisk, "smart.status") == "failed"; }));
  EXPECT_EQ(command("selftest", kDisk, {{"type", "long"}})["status"], "done");
  EXPECT_EQ(asked("-j -t long /dev/sda"), 1u);
  EXPECT_EQ(command("selftest", kDisk, {{"type", "thorough"}})["status"], "refused");
  EXPECT_EQ(command("selftest", "dev://wwn=7", {{"type", "long"}})["status"], "refused");
  answer("test-sda", "open-failed.json", 2);
  const json failed = command("selftest", kDisk, {{"type", "short"}});
  EXPECT_EQ(failed["status"], "failed");
  EXPECT_EQ(failed["reason"], "Smartctl open device: /dev/sda failed: No such device");
}

}  // namespace
}  // namespace fmd::smart
