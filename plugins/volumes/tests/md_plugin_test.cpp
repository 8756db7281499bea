// The plugin on a sysfs tree, with a fake mdadm(8) that changes it as the kernel would.
#include <algorithm>

#include "plugins/volumes/tests/md_rig.h"

namespace fmd::volumes::testing {
namespace {

// mdadm --manage ARRAY VERB DEVICE…; logs its arguments.
constexpr const char* kMdadm = R"(#!/bin/sh
root=$FMD_HOST_ROOT
echo "$*" >> "$root/mdadm-log"
[ -e "$root/mdadm-fails" ] && { echo 'mdadm: Cannot set device faulty: Device or resource busy' >&2; exit 1; }
name=${4##*/}
dev=$root/sys/block/md0/md/dev-$name
case $3 in
--fail) echo faulty > "$dev/state"; echo none > "$dev/slot" ;;
--replace) echo in_sync,want_replacement > "$dev/state" ;;
--remove) rm -r "$dev" ;;
--re-add) echo "mdadm: --re-add for $4 to ${2} is not possible" >&2; exit 1 ;;
--add) mkdir -p "$dev"; echo spare > "$dev/state"; echo 1 > "$dev/slot"; echo 0 > "$dev/errors"; : > "$dev/bad_blocks" ;;
esac
)";

class MdPluginTest : public ::testing::Test {
 protected:
  Loop loop_;
  MdTree t_;
  FakeCore core_{loop_, t_.tree.root() + "/s"};
  sdk::Host host_{loop_, t_.tree.root(), t_.tree.root() + "/tools"};
  std::unique_ptr<VolumesPlugin> plugin_;
  Options options_;

  void SetUp() override {
    t_.tree.file("/tools/mdadm", kMdadm, 0755);
    t_.tree.file("/mdadm-log", "");
    t_.tree.file("/tools/blkid", "#!/bin/sh\nexit 2\n", 0755);
    options_.rescan = options_.rescan_busy = 1h;
    options_.state_file = t_.tree.root() + "/memory.json";
  }
  void start() {
    plugin_ = std::make_unique<VolumesPlugin>(loop_, host_, t_.tree.root() + "/s", options_);
    const size_t before = core_.count("inventory");
    ASSERT_TRUE(loop_.until([&] { return core_.count("inventory") > before; }));
  }
  void look() {
    const uint64_t id = core_.command("refresh", "", kArray);
    ASSERT_TRUE(loop_.until([&] { return core_.answers.count(id) > 0; }));
  }
  json order(const std::string& name, const std::string& key, int number, json args) {
    const uint64_t id = core_.command(name, key, member_of(number), std::move(args));
    EXPECT_TRUE(loop_.until([&] { return core_.answers.count(id) > 0; }));
    return core_.answers[id];
  }
  std::string log() const { return t_.tree.read("/mdadm-log"); }
  json of(int number, const char* property) { return core_.property(member_of(number), property); }
};

TEST_F(MdPluginTest, TellsWhatThereIsAndWhatChanges) {
  t_.mirror();
  start();
  EXPECT_TRUE(core_.of("inventory").at(0)["complete"]);
  EXPECT_EQ(of(1, "state"), "in-sync");
  EXPECT_EQ(core_.of("status").back()["state"], "ok");
  t_.member(2, "faulty", -1);
  look();
  EXPECT_EQ(of(2, "state"), "faulty");
  ASSERT_TRUE(loop_.until([&] { return !core_.events.empty(); }));
}

TEST_F(MdPluginTest, NoArrayIsNotObserved) {
  start();
  ASSERT_TRUE(loop_.until([&] { return core_.count("status") > 0; }));
  EXPECT_EQ(core_.of("status").back()["state"], "not-observed");
}

TEST_F(MdPluginTest, RetiresAndGivesBackByItsOwnKeyOnly) {
  t_.mirror();
  start();
  json answer = order("retire", "k1", 2, {{"to", "out-of-service"}});
  EXPECT_EQ(answer["status"], "done") << answer;
  EXPECT_EQ(of(2, "state"), "faulty");
  EXPECT_EQ(of(2, "retired_by"), "k1");
  EXPECT_EQ(log(), "--manage /dev/md0 --fail /dev/sdc\n");
  EXPECT_EQ(order("retire", "k1", 2, {{"to", "out-of-service"}})["status"], "done");
  EXPECT_EQ(log(), "--manage /dev/md0 --fail /dev/sdc\n") << "once a key";
  EXPECT_EQ(order("retire", "k2", 1, {{"to", "out-of-service"}})["status"], "refused");
  EXPECT_EQ(order("restore", "k3", 2, {{"key", "another"}})["status"], "refused");
  answer = order("restore", "k4", 2, {{"key", "k1"}});
  EXPECT_EQ(answer["status"], "done") << answer;
  EXPECT_EQ(of(2, "state"), "rebuilding");
  EXPECT_EQ(of(2, "retired_by"), json());
}

TEST_F(MdPluginTest, WhatTheKernelFailedIsNotGivenBack) {
  t_.mirror();
  start();
  t_.member(2, "faulty", -1);
  const json answer = order("restore", "k1", 2, {{"key", "k0"}});
  EXPECT_EQ(answer["status"], "refused");
  EXPECT_EQ(answer["reason"].get<std::string>(),
            member_of(2) + " of md0 (backup) is faulty, and that is not fmd's doing");
  EXPECT_EQ(log(), "");
  EXPECT_EQ(order("restore", "k2", 2, {{"by", "person"}})["status"], "done");
}

// Retired by fmd, then used for something else: `mdadm --add` would overwrite that.
TEST_F(MdPluginTest, AMemberWithForeignContentIsNotPutBack) {
  t_.mirror();
  start();
  order("retire", "k1", 2, {{"to", "out-of-service"}});
  t_.tree.file("/tools/blkid", "#!/bin/sh\necho TYPE=ext4; echo LABEL=PAYROLL\n", 0755);
  for (const json& args : {json{{"key", "k1"}}, json{{"by", "person"}}}) {
    const json answer = order("restore", "k" + args.dump(), 2, args);
    EXPECT_EQ(answer["status"], "refused") << answer;
    EXPECT_EQ(answer["reason"],
              "the disk has been used for something else: it holds ext4, label PAYROLL; if that is "
              "not needed, take the disk back with 'wipefs -a /dev/sdc' and then 'mdadm --manage "
              "/dev/md0 --add /dev/sdc'");
    t_.member(2, "faulty", -1);
  }
  for (const char* writes : {"--add", "--re-add"})
    EXPECT_EQ(log().find(writes), std::string::npos) << log();
}

TEST_F(MdPluginTest, WaitsForACheckWhenTold) {
  t_.mirror();
  t_.set("sync_action", "check");
  start();
  const json answer = order("retire", "k1", 2, {{"to", "degraded"}, {"unless_busy", "scrub"}});
  EXPECT_EQ(answer["status"], "refused");
  EXPECT_EQ(answer["detail"]["busy"], "scrub");
  EXPECT_EQ(order("retire", "k2", 2, {{"to", "degraded"}})["status"], "done");
  EXPECT_EQ(of(2, "state"), "want-replacement");
  // This flag can be cleared only through sysfs.
  order("restore", "k3", 2, {{"key", "k2"}});
  EXPECT_EQ(t_.tree.read(t_.md + "/dev-sdc/state"), "-want_replacement");
}

TEST_F(MdPluginTest, SomebodyElseWasQuicker) {
  t_.mirror();
  start();
  t_.member(2, "faulty", -1);
  const json answer = order("retire", "k1", 2, {{"to", "out-of-service"}});
  EXPECT_EQ(answer["status"], "done");
  EXPECT_EQ(answer["detail"]["already"], true);
  EXPECT_EQ(of(2, "retired_by"), json());
  EXPECT_EQ(log(), "");
}

// fmd's command failed, but the next scan shows the requested state: somebody else caused it.
TEST_F(MdPluginTest, SomebodyElseWasQuickerByAMoment) {
  t_.mirror();
  t_.tree.file("/tools/mdadm",
               "#!/bin/sh\necho faulty > $FMD_HOST_ROOT/sys/block/md0/md/dev-sdc/state\nexit 1\n",
               0755);
  start();
  EXPECT_EQ(order("retire", "k1", 2, {{"to", "out-of-service"}})["detail"]["already"], true);
  look();
  EXPECT_EQ(of(2, "state"), "faulty");
  EXPECT_EQ(of(2, "retired_by"), json());
}

TEST_F(MdPluginTest, AFailureIsToldAndLeavesNothingBehind) {
  t_.mirror();
  t_.tree.file("/mdadm-fails", "");
  start();
  const json answer = order("retire", "k1", 2, {{"to", "out-of-service"}});
  EXPECT_EQ(answer["status"], "failed");
  EXPECT_NE(answer["reason"].get<std::string>().find("Device or resource busy"), std::string::npos);
  // A later failure by the kernel is not fmd's action.
  t_.member(2, "faulty", -1);
  look();
  EXPECT_EQ(of(2, "retired_by"), json());
}

TEST_F(MdPluginTest, ANewDiskTakesThePlace) {
  t_.mirror();
  start();
  t_.member(2, "faulty", -1);
  look();
  t_.plug(3);
  const json args = {{"device", disk_of(3)}, {"path", "/dev/sdd"}};
  EXPECT_EQ(order("replace", "k0", 2, args)["status"], "refused") << "not known to be blank";
  json blank = args;
  blank["blank"] = true;
  blank["device"] = disk_of(1);
  EXPECT_EQ(order("replace", "k1", 2, blank)["status"], "failed") << "another disk is there";
  blank["path"] = "/dev/sdb";
  EXPECT_EQ(order("replace", "k2", 2, blank)["status"], "refused") << "which the array uses";
  blank = args;
  blank["blank"] = true;
  t_.tree.file("/dev/sdd", "somebody's data");
  EXPECT_EQ(order("replace", "used", 2, blank)["status"], "refused") << "the core's word was old";
  EXPECT_EQ(log().find("--add"), std::string::npos) << log();
  t_.plug(3);
  EXPECT_EQ(order("replace", "k3", 2, blank)["status"], "done");
  EXPECT_EQ(log(), "--manage /dev/md0 --remove sdc\n--manage /dev/md0 --add /dev/sdd\n");
  EXPECT_EQ(of(2, "state"), "missing");
  EXPECT_EQ(of(2, "replacing"), member_of(3));
  t_.member(3, "in_sync", 1);
  look();
  EXPECT_EQ(core_.gone[member_of(2)], "replaced");
}

// Also one that has stopped half-way: its action is "idle".
TEST_F(MdPluginTest, AReshapeIsNotDisturbed) {
  for (const int number : {1, 2, 3, 4}) t_.plug(number);
  t_.array("raid5", 3);
  for (const int number : {1, 3}) t_.member(number, "in_sync", number - 1);
  t_.member(2, "faulty", 1);
  t_.set("reshape_position", "81920");
  start();
  const json args = {{"device", disk_of(4)}, {"path", "/dev/sde"}, {"blank", true}};
  int orders = 0;
  for (const char* action : {"reshape", "idle", "frozen"}) {
    t_.set("sync_action", action);
    look();
    EXPECT_EQ(core_.property(kArray, "scan"), "reshape");
    const auto refused = [&](const char* name, int disk, const json& with) {
      const json answer = order(name, fmt::format("k{}", ++orders), disk, with);
      EXPECT_EQ(answer["status"], "refused") << name << disk << action;
      EXPECT_NE(answer["reason"].get<std::string>().find("reshape"), std::string::npos) << answer;
    };
    refused("replace", 2, args);
    refused("replace", 1, args);
    refused("retire", 3, {{"to", "out-of-service"}});
    refused("restore", 2, {{"by", "person"}});
    EXPECT_EQ(of(2, "replace_refusal"),
              "array md0 (backup) is being reshaped: its members stay as they are until that ends");
  }
  EXPECT_EQ(log(), "");
  t_.set("reshape_position", "none");
  t_.set("sync_action", "idle");
  look();
  EXPECT_EQ(core_.property(kArray, "scan"), "none");
  EXPECT_EQ(order("replace", "last", 2, args)["status"], "done");
}

TEST_F(MdPluginTest, AMemberThatLeavesForGoodIsDetached) {
  t_.mirror();
  t_.plug(3);
  t_.member(3, "spare", -1);
  start();
  t_.unlist(3);
  look();
  EXPECT_EQ(core_.gone[member_of(3)], "detached");
}

TEST_F(MdPluginTest, AStoppedArrayMayComeBack) {
  t_.tree.file("/proc/sys/kernel/random/boot_id", "b007\n");
  t_.mirror();
  start();
  t_.tree.remove("/sys/block/md0");
  look();
  EXPECT_EQ(core_.property(kArray, "health"), "stopped");
  plugin_.reset();
  start();
  EXPECT_EQ(core_.property(kArray, "health"), "stopped") << "also after a restart of fmd-volumes";
  plugin_.reset();
  t_.tree.file("/proc/sys/kernel/random/boot_id", "b008\n");
  start();
  EXPECT_EQ(core_.property(kArray, "health"), "missing") << "and not started by a boot";
}

TEST_F(MdPluginTest, AMissingArrayMayComeBack) {
  t_.mirror();
  start();
  t_.tree.remove("/sys/block/md0");
  look();
  EXPECT_EQ(core_.property(kArray, "health"), "missing");
  EXPECT_EQ(core_.gone[member_of(1)], "removed");
  plugin_.reset();
  start();
  EXPECT_EQ(core_.property(kArray, "health"), "missing") << "also after a restart";
  EXPECT_EQ(core_.property(kArray, "members_missing"),
            "sdb (serial DISK01G0), sdc (serial DISK02G0)");
  t_.mirror();
  look();
  EXPECT_EQ(core_.property(kArray, "health"), "optimal");
}

// The array was stopped, or could not be read for a moment, while its new member was filled.
TEST_F(MdPluginTest, AMemberThatIsReplacedWhileItsArrayIsAwayIsReplaced) {
  t_.mirror();
  start();
  t_.unlist(2);
  t_.pull(2);
  look();
  ASSERT_EQ(of(2, "state"), "missing");
  t_.tree.remove("/sys/block/md0");
  look();
  EXPECT_EQ(core_.gone[member_of(2)], "removed");
  t_.mirror();
  t_.unlist(2);
  t_.plug(3);
  t_.member(3, "in_sync", 1);
  look();
  EXPECT_EQ(of(3, "state"), "in-sync");
  EXPECT_EQ(core_.gone[member_of(2)], "replaced");
}

TEST_F(MdPluginTest, AfterARestartItKnowsWhoIsMissingAndWhatItDid) {
  t_.mirror();
  start();
  order("retire", "k1", 2, {{"to", "out-of-service"}});
  plugin_.reset();
  start();
  EXPECT_EQ(of(2, "retired_by"), "k1");
  EXPECT_EQ(order("retire", "k1", 2, {{"to", "out-of-service"}})["status"], "done");
  EXPECT_EQ(log(), "--manage /dev/md0 --fail /dev/sdc\n");
  plugin_.reset();
  t_.unlist(2);
  t_.pull(2);
  start();
  EXPECT_EQ(of(2, "state"), "missing");
}

TEST_F(MdPluginTest, ADamagedMemoryIsAnEmptyOne) {
  t_.mirror();
  t_.tree.file("/memory.json", "{\"md\": 7");
  start();
  EXPECT_EQ(of(1, "state"), "in-sync");
}

TEST_F(MdPluginTest, MayOnlyObserve) {
  t_.mirror();
  options_.act = false;
  start();
  EXPECT_EQ(order("retire", "k1", 2, {{"to", "out-of-service"}})["status"], "refused");
  EXPECT_EQ(log(), "");
}

// The data would be on the new disk without encryption.
TEST_F(MdPluginTest, MappingsAreAPersonsWork) {
  t_.mirror();
  const std::string uuid = "/sys/devices/pci0000:00/host0/0:0:1:0/block/sdb/dm/uuid";
  t_.tree.file(uuid, "CRYPT-LUKS2-0fc63daf84834772-a\n");
  start();
  t_.member(2, "faulty", -1);
  t_.plug(3);
  look();
  const json args = {{"device", disk_of(3)}, {"path", "/dev/sdd"}, {"blank", true}};
  const json answer = order("replace", "k1", 2, args);
  EXPECT_EQ(answer["status"], "refused");
  EXPECT_NE(answer["reason"].get<std::string>().find("LUKS"), std::string::npos) << answer;
  EXPECT_EQ(log(), "");
  EXPECT_EQ(of(2, "mapped"), true);
  t_.tree.file(uuid, "mpath-35000c500a0000001\n");
  look();
  EXPECT_EQ(order("replace", "k2", 2, args)["status"], "done");
}

TEST_F(MdPluginTest, PartitionsAreAPersonsWork) {
  t_.mirror();
  t_.tree.file("/sys/devices/pci0000:00/host0/0:0:1:0/block/sdb/partition",
               "1\n");  // as sdb1 has
  start();
  t_.plug(3);
  const uint64_t id =
      core_.command("replace", "k1", member_of(1) + "/part=1",
                    {{"device", disk_of(3)}, {"path", "/dev/sdd"}, {"blank", true}});
  ASSERT_TRUE(loop_.until([&] { return core_.answers.count(id) > 0; }));
  EXPECT_EQ(core_.answers[id]["status"], "refused");
  EXPECT_NE(core_.answers[id]["reason"].get<std::string>().find("sfdisk"), std::string::npos);
}

}  // namespace
}  // namespace fmd::volumes::testing
