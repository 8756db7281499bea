// MdModel: from a sysfs tree to resources, over one or more scans.
#include "plugins/volumes/md_model.h"

#include "plugins/sdk/messages.h"
#include "plugins/volumes/md_news.h"
#include "plugins/volumes/tests/md_rig.h"

namespace fmd::volumes::testing {
namespace {

class MdModelTest : public ::testing::Test {
 protected:
  Loop loop_;
  MdTree t_;
  sdk::Host host_{loop_, t_.tree.root(), ""};
  MdMemory memory_;
  MdScan scan_;
  std::vector<sdk::OutEvent> news_;

  std::map<std::string, json> look() {
    const MdScan before = scan_;
    // As received from the scanning child.
    scan_ = md_from_json(to_json(scan_md(host_, before.arrays)));
    note(scan_, "boot-1", memory_);
    news_ = md_news(before, scan_, memory_, 1'700'000'000'000'000'000);
    return md_resources(scan_, memory_, {});
  }
  json member(int number, const char* property) {
    const auto all = look();
    const auto at = all.find(member_of(number));
    return at == all.end() ? json() : at->second["properties"].value(property, json());
  }
  json array(const char* property) { return look()[kArray]["properties"].value(property, json()); }
  std::string refusal(int number) {
    look();
    const MdArray* array = nullptr;
    const MdMember* m = find_member(scan_, member_of(number), &array);
    return m ? md_refusal(*array, *m) : "not there";
  }
};

TEST_F(MdModelTest, AnArrayItsMembersAndTheirDisks) {
  t_.mirror();
  const auto all = look();
  ASSERT_EQ(all.size(), 3u);
  const json whole = all.at(kArray);
  EXPECT_EQ(whole["type"], "md-array");
  EXPECT_EQ(whole["properties"]["name"], "md0");
  EXPECT_EQ(whole["properties"]["label"], "backup");
  EXPECT_EQ(whole["properties"]["health"], "optimal");
  EXPECT_EQ(whole["properties"]["scan"], "none");
  EXPECT_EQ(whole["edges"].size(), 2u);
  const json one = all.at(member_of(1));
  EXPECT_EQ(one["properties"]["state"], "in-sync");
  EXPECT_EQ(one["properties"]["service"], "in-service");
  EXPECT_EQ(one["properties"]["group"], kArray);
  EXPECT_EQ(one["edges"][0]["to"], disk_of(1));
  EXPECT_FALSE(one["properties"].contains("retire_refusal"));
}

TEST_F(MdModelTest, AsRecorded) {
  t_.plug(0);  // sda
  t_.plug(1);
  t_.recorded("md-raid1.txt");
  const auto all = look();
  ASSERT_EQ(scan_.arrays.size(), 1u);
  const MdArray& array = scan_.arrays[0];
  EXPECT_EQ(array.fmri, "md://uuid=4981453e706cb2865eec5c2825a9947b");
  EXPECT_EQ(array_health(array), "optimal");
  ASSERT_EQ(array.members.size(), 2u);
  EXPECT_EQ(array.members[1].device, "sdb");
  EXPECT_EQ(array.members[1].disk, disk_of(1));
  EXPECT_EQ(array.members[1].slot, 1);
  EXPECT_EQ(md_refusal(array, array.members[1]), "");
  EXPECT_EQ(all.size(), 3u);
}

TEST_F(MdModelTest, TheKernelsOwnUuidGoesWhereUdevHasNoLink) {
  t_.mirror();
  t_.tree.remove("/dev/disk/by-id");
  look();
  EXPECT_EQ(scan_.nameless, 1u);
  EXPECT_TRUE(scan_.arrays.empty());
  t_.set("uuid", "6f1c2d35-decc-9a8d-4e08-b7b6a9c01234");
  EXPECT_EQ(look().count(kArray), 1u);
}

TEST_F(MdModelTest, AFailedMemberLeavesItsSlotAndIsStillTheOneThatFailed) {
  t_.mirror();
  look();
  t_.member(2, "faulty", -1);
  t_.set("degraded", "1");
  EXPECT_EQ(member(2, "state"), "faulty");
  EXPECT_EQ(member(2, "service"), "out-of-service");
  EXPECT_EQ(member(2, "by_fmd"), false);
  EXPECT_EQ(array("health"), "degraded");
  EXPECT_EQ(look().size(), 3u) << "and no second one is missing";
}

TEST_F(MdModelTest, OneThatIsTakenOutIsMissing) {
  t_.mirror();
  look();
  t_.unlist(2);
  t_.pull(2);
  t_.set("degraded", "1");
  EXPECT_EQ(member(2, "state"), "missing");
  EXPECT_EQ(member(2, "service"), "removed");
  EXPECT_EQ(look().at(member_of(2))["edges"][0]["to"], disk_of(2));
  // Only the memory knows the member: without it, a member is missing, and it is unknown which.
  memory_ = {};
  const auto all = look();
  EXPECT_EQ(all.at(kArray + "/missing=0")["properties"]["state"], "missing");
  // Reading back its own text gives the same object.
  EXPECT_EQ(md_memory_from_json(to_json(memory_)), memory_);
}

TEST_F(MdModelTest, WhoseDiskIsGoneWhileItIsListedIsTheSame) {
  t_.mirror();
  look();
  t_.pull(2);  // the kernel lists dev-sdc until the next write fails
  EXPECT_EQ(member(2, "state"), "missing");
  EXPECT_EQ(array("health"), "degraded");
  EXPECT_EQ(refusal(1), "last copy: too few other members of the array are good");
  t_.member(2, "faulty", -1);
  t_.set("degraded", "1");
  EXPECT_EQ(member(2, "state"), "faulty");
}

// The kernel lists the last good half of a mirror as in_sync for ever, also without its device.
TEST_F(MdModelTest, TheDiskOfTheOnlyCopyIsGone) {
  t_.mirror();
  look();
  t_.member(2, "spare", 1);
  t_.set("sync_action", "recover");
  t_.set("degraded", "1");
  EXPECT_EQ(array("health"), "degraded");
  t_.pull(1);
  EXPECT_EQ(array("health"), "failed");
  EXPECT_EQ(member(1, "state"), "missing");
  EXPECT_EQ(member(1, "service"), "removed");
  t_.plug(1);
  EXPECT_EQ(array("health"), "degraded");
}

TEST_F(MdModelTest, ANewMemberRebuildsAndReplacesTheOldOne) {
  t_.mirror();
  look();
  t_.unlist(2);
  t_.pull(2);
  t_.plug(3);
  t_.member(3, "spare", 1);
  t_.set("degraded", "1");
  t_.set("sync_action", "recover");
  t_.set("sync_completed", "65024 / 520192");
  t_.set("sync_speed", "1016");
  EXPECT_EQ(member(3, "state"), "rebuilding");
  EXPECT_EQ(member(3, "was_spare"), json()) << "it is a new disk";
  EXPECT_EQ(member(2, "replacing"), member_of(3));
  EXPECT_EQ(array("scan"), "resilver");
  EXPECT_EQ(array("scan_percent"), 12.5);
  EXPECT_EQ(array("scan_rate_bytes"), 1016 * 1024);
  EXPECT_EQ(array("scan_seconds_left"), (520192 - 65024) * 512 / (1016 * 1024));
  t_.member(3, "in_sync", 1);
  t_.set("degraded", "0");
  t_.set("sync_action", "idle");
  t_.set("sync_completed", "none");
  const auto all = look();
  ASSERT_FALSE(news_.empty());
  EXPECT_EQ(all.count(member_of(2)), 0u);
  EXPECT_EQ(memory_.replaced[member_of(2)], member_of(3));
  EXPECT_EQ(array("last_scan_text"), "recover ended Nov 14 22:13:20, the array is optimal");
}

TEST_F(MdModelTest, TheKernelTakesASpareAndTheFailedOneStaysListed) {
  t_.mirror();
  t_.plug(3);
  t_.member(3, "spare", -1);
  EXPECT_EQ(array("spares_available"), 1);
  EXPECT_EQ(member(3, "state"), "spare");
  t_.member(2, "faulty", -1);
  t_.member(3, "spare", 1);
  t_.set("degraded", "1");
  EXPECT_EQ(member(2, "replacing"), member_of(3));
  EXPECT_EQ(member(3, "was_spare"), true);
  EXPECT_EQ(md_memory_from_json(to_json(memory_)), memory_);
  t_.member(3, "in_sync", 1);
  t_.set("degraded", "0");
  EXPECT_EQ(member(3, "was_spare"), json()) << "a member like any";
  EXPECT_EQ(member(2, "state"), "faulty") << "until somebody takes it out";
  EXPECT_EQ(look().size(), 4u);
  t_.unlist(2);
  EXPECT_EQ(look().count(member_of(2)), 0u);
  // Added again a month later, it is an ordinary member.
  t_.member(2, "spare", -1);
  EXPECT_EQ(member(2, "state"), "spare");
}

TEST_F(MdModelTest, ASpareThatIsListedNoMoreIsMissing) {
  t_.mirror();
  t_.plug(3);
  t_.member(3, "spare", -1);
  look();
  t_.unlist(3);
  t_.pull(3);
  EXPECT_EQ(member(3, "state"), "missing");
  EXPECT_EQ(member(3, "role"), "spare");
  EXPECT_EQ(array("health"), "optimal");
  EXPECT_EQ(array("spares_available"), 0);
  EXPECT_EQ(md_memory_from_json(to_json(memory_)), memory_);
  t_.plug(3);
  t_.member(3, "spare", -1);
  EXPECT_EQ(member(3, "state"), "spare") << "it is back";
  t_.unlist(3);
  t_.pull(3);
  EXPECT_EQ(member(3, "state"), "missing");
  t_.plug(4);
  t_.member(4, "spare", -1);
  EXPECT_EQ(member(4, "state"), "spare");
  EXPECT_EQ(look().count(member_of(3)), 0u) << "another has come for it";
  EXPECT_EQ(memory_.replaced.at(member_of(3)), member_of(4));
  t_.member(4, "in_sync", 1);  // a spare that the kernel uses is not missing
  t_.unlist(2);
  EXPECT_EQ(look().count(member_of(3)), 0u);
  EXPECT_EQ(member(4, "state"), "in-sync");
}

TEST_F(MdModelTest, AHotReplacementIsAMoveWithTheOldOneStillServing) {
  t_.mirror();
  t_.plug(3);
  look();
  memory_.deeds[member_of(2)] = {"key-1", "want-replacement", true};
  t_.member(2, "in_sync,want_replacement", 1);
  t_.member(3, "spare,replacement", 1);
  t_.set("sync_action", "recover");
  EXPECT_EQ(member(2, "state"), "want-replacement");
  EXPECT_EQ(member(2, "service"), "degraded");
  EXPECT_EQ(member(2, "retired_by"), "key-1");
  EXPECT_EQ(member(2, "replacing"), member_of(3));
  EXPECT_EQ(array("health"), "optimal");
  t_.member(2, "faulty", -1);
  t_.member(3, "in_sync", 1);
  t_.set("sync_action", "idle");
  EXPECT_EQ(member(2, "state"), "faulty");
  EXPECT_EQ(member(2, "retired_by"), "key-1") << "the end of the same deed";
  t_.member(2, "spare", -1);
  EXPECT_EQ(member(2, "retired_by"), json());
}

TEST_F(MdModelTest, NoLastCopyGoes) {
  t_.mirror();
  EXPECT_EQ(refusal(1), "");
  t_.member(2, "faulty", -1);
  EXPECT_EQ(refusal(1), "last copy: too few other members of the array are good");
  t_.member(2, "spare", 1);
  t_.set("sync_action", "recover");
  EXPECT_NE(refusal(1), "") << "a copy that is not whole is none";
  EXPECT_EQ(refusal(2), "") << "nobody needs that one yet";
  t_.set("sync_action", "resync");
  t_.member(2, "in_sync", 1);
  EXPECT_NE(refusal(1), "") << "after a crash the copies differ until the resync has ended";
}

struct Tolerance {
  const char* level;
  const char* layout;
  int disks;
  std::vector<int> bad;  // slots
  bool may_go;           // the member in slot 0
  int left = 0;          // further losses survived, in the worst case
};
void PrintTo(const Tolerance& t, std::ostream* out) {
  *out << t.level << " " << t.disks << " bad " << t.bad.size();
}

class MdToleranceTest : public MdModelTest, public ::testing::WithParamInterface<Tolerance> {};

TEST_P(MdToleranceTest, BySlotsAndLevel) {
  const Tolerance& c = GetParam();
  t_.array(c.level, c.disks);
  t_.set("layout", c.layout);
  for (int slot = 0; slot < c.disks; ++slot) {
    t_.plug(slot + 1);
    const bool bad = std::find(c.bad.begin(), c.bad.end(), slot) != c.bad.end();
    t_.member(slot + 1, bad ? "faulty" : "in_sync", bad ? -1 : slot);
  }
  EXPECT_EQ(refusal(1).empty(), c.may_go) << refusal(1);
  EXPECT_EQ(member(1, "losses_left"), c.may_go ? json(c.left) : json());
  EXPECT_EQ(member(1, "losses_group"), c.may_go ? json("md0 (backup)") : json());
}

INSTANTIATE_TEST_SUITE_P(
    All, MdToleranceTest,
    ::testing::Values(
        Tolerance{"raid0", "0", 2, {}, false}, Tolerance{"linear", "0", 2, {}, false},
        Tolerance{"raid1", "0", 3, {}, true, 1}, Tolerance{"raid6", "2", 5, {}, true, 1},
        Tolerance{"raid1", "0", 3, {1}, true}, Tolerance{"raid1", "0", 3, {1, 2}, false},
        Tolerance{"raid5", "2", 4, {}, true}, Tolerance{"raid5", "2", 4, {2}, false},
        Tolerance{"raid6", "2", 5, {2}, true}, Tolerance{"raid6", "2", 5, {2, 3}, false},
        // near=2: pairs 0+1, 2+3
        Tolerance{"raid10", "258", 4, {2}, true}, Tolerance{"raid10", "258", 4, {1}, false},
        // far=2, and near copies over an odd number: any may share data with any
        Tolerance{"raid10", "513", 4, {}, true}, Tolerance{"raid10", "513", 4, {2}, false},
        Tolerance{"raid10", "258", 3, {2}, false}));

TEST_F(MdModelTest, MoreMissingThanItBears) {
  t_.mirror();
  look();
  t_.member(1, "faulty", -1);
  t_.member(2, "faulty", -1);
  t_.set("degraded", "2");
  EXPECT_EQ(array("health"), "failed");
  t_.mirror();
  t_.set("array_state", "broken");
  EXPECT_EQ(array("health"), "failed");
  t_.set("array_state", "inactive");
  EXPECT_EQ(array("health"), "inactive");
}

TEST_F(MdModelTest, WhatACheckFoundStandsUntilItIsPutRight) {
  t_.mirror();
  EXPECT_EQ(array("mismatch_sectors"), json()) << "it was never checked";
  const auto runs = [&](const char* action, const char* count) {
    t_.set("sync_action", action);
    t_.set("last_sync_action", action);
    t_.set("mismatch_cnt", count);
  };
  const auto ended = [&] { t_.set("sync_action", "idle"); };
  runs("check", "384");
  EXPECT_EQ(array("mismatch_sectors"), json());
  ended();
  EXPECT_EQ(array("mismatch_sectors"), 384);
  runs("check", "0");  // the next month's check has just begun
  EXPECT_EQ(array("mismatch_sectors"), 384);
  runs("repair", "384");
  ended();
  EXPECT_EQ(array("mismatch_sectors"), 0);
}

TEST_F(MdModelTest, ContainersAndEmptyDevicesAreNone) {
  t_.mirror();
  t_.set("level", "");
  t_.set("array_state", "inactive");
  t_.set("metadata_version", "external:imsm");
  EXPECT_TRUE(look().empty());
  EXPECT_EQ(scan_.nameless, 0u);
}

TEST_F(MdModelTest, AVolumeOfFirmwareRaidThatWasNotStartedIsSeen) {
  for (const char* metadata : {"external:/md127/0", "external:-md127/1"}) {
    t_.mirror();
    t_.set("metadata_version", metadata);
    EXPECT_EQ(array("health"), "optimal");
    t_.set("level", "");
    t_.set("array_state", "inactive");
    EXPECT_EQ(array("health"), "inactive") << metadata;
    t_.set("metadata_version", "external:ddf");
    EXPECT_NE(array("health"), "inactive") << "a container is no array";
  }
}

// As in node_exporter's fixtures: no level, no number of disks, a UUID of zeros.
TEST_F(MdModelTest, AnArrayThatWasNotStartedIsSeen) {
  t_.mirror();
  look();
  for (const auto& [file, text] : {std::pair("array_state", "inactive"),
                                   {"level", ""},
                                   {"raid_disks", "0"},
                                   {"uuid", "00000000-0000-0000-0000-000000000000"}})
    t_.set(file, text);
  EXPECT_EQ(array("health"), "inactive") << "udev's link tells its UUID";
  t_.tree.remove("/dev/disk/by-id");
  EXPECT_EQ(array("health"), "inactive") << "known by its device";
  scan_ = {};
  EXPECT_EQ(look()["md://device=md0"]["properties"]["health"], "inactive") << "never seen running";
}

TEST_F(MdModelTest, WhatHappensIsToldOnce) {
  t_.mirror();
  look();
  look();
  EXPECT_TRUE(news_.empty());
  t_.member(2, "faulty", -1);
  t_.set("degraded", "1");
  look();
  ASSERT_EQ(news_.size(), 2u);
  EXPECT_EQ(news_[0].event_class, "sysevent.md.array.health");
  EXPECT_EQ(news_[1].event_class, "sysevent.md.member.state");
  EXPECT_EQ(news_[1].payload["was"], "in-sync");
  t_.set("sync_action", "check");
  look();
  ASSERT_EQ(news_.size(), 1u);
  EXPECT_EQ(news_[0].event_class, "sysevent.md.sync.started");
  t_.set("sync_action", "idle");
  t_.set("mismatch_cnt", "128");
  look();
  ASSERT_EQ(news_.size(), 1u);
  EXPECT_EQ(news_[0].payload["mismatch_sectors"], 128);
}

}  // namespace
}  // namespace fmd::volumes::testing
