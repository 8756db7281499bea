// Happenings: found once, reported once, none invented, whatever restarts when.
#include "fmd/notify/happenings.h"

#include <gtest/gtest.h>

#include <numeric>

#include "fmd/base/json.h"
#include "fmd/notify/tests/happening_rig.h"

namespace fmd {
namespace {

using Told = std::vector<std::string>;

constexpr const char* kFirst =
    "resilvered 3.2G in 00:10:00 with 0 errors on Sun Nov 22 10:00:00 2026";
constexpr const char* kSecond =
    "resilvered 1.1G in 00:05:00 with 0 errors on Mon Nov 23 10:00:00 2026";

class HappeningsTest : public ::testing::Test {
 protected:
  // Sixty disks, reported by the plugins.
  void settle() {
    std::vector<int> all(60);
    std::iota(all.begin(), all.end(), 0);
    rig.snapshot(all);
    std::vector<Resource> bays;
    for (const int n : all) bays.push_back(HappeningRig::bay(n, n));
    rig.say("enclosure", std::move(bays), true);
    rig.say("zfs", {HappeningRig::pool(kFirst), HappeningRig::vdev("none")}, true);
    EXPECT_EQ(rig.pass(60), Told{});
  }
  void pull(int n) {
    rig.gone("disk", HappeningRig::disk_fmri(n));
    rig.say("enclosure", {HappeningRig::bay(n)});
  }
  void insert(int disk, int bay) {
    rig.say("disk", {HappeningRig::disk(disk)});
    rig.say("enclosure", {HappeningRig::bay(bay, disk)});
  }

  HappeningRig rig;
};

TEST_F(HappeningsTest, TheFirstInventorySaysNothing) {
  settle();
  EXPECT_EQ(rig.told.size(), 0u);
}

TEST_F(HappeningsTest, ADiskIsPulledAndAnotherPutIn) {
  settle();
  pull(4);
  EXPECT_EQ(rig.pass(60), Told{"disk-removed SLOT 4"});
  EXPECT_EQ(rig.told.back().serial, "S4");
  EXPECT_EQ(rig.told.back().bay, HappeningRig::bay_fmri(4));
  insert(104, 4);
  EXPECT_EQ(rig.pass(60), Told{"disk-inserted SLOT 4"});
  EXPECT_EQ(rig.told.back().serial, "S104");
  EXPECT_EQ(rig.pass(86400), Told{});
}

TEST_F(HappeningsTest, ThePluginsComeBack) {
  settle();
  for (int i = 0; i < 3; ++i) {
    settle();
    rig.restart();
  }
  EXPECT_EQ(rig.told.size(), 0u);
}

TEST_F(HappeningsTest, WhatChangedWhileThePluginWasAwayIsTold) {
  settle();
  std::vector<int> others(60);
  std::iota(others.begin(), others.end(), 0);
  others[7] = 107;
  rig.restart();
  rig.snapshot(others);
  rig.say("enclosure", {HappeningRig::bay(7, 107)});
  EXPECT_EQ(rig.pass(60), (Told{"disk-removed SLOT 7", "disk-inserted SLOT 7"}));
}

TEST_F(HappeningsTest, ARebootSaysNothing) {
  settle();
  rig.reboot();
  rig.snapshot({1, 2, 3});
  EXPECT_EQ(rig.pass(30), Told{});
  settle();  // the others are found a little later
  EXPECT_EQ(rig.told.size(), 0u);
  rig.pass(600);
  insert(200, 60);
  EXPECT_EQ(rig.pass(60), Told{"disk-inserted SLOT 60"});
}

TEST_F(HappeningsTest, AContactThatFlickersIsNoNews) {
  settle();
  for (int i = 0; i < 50; ++i) {
    pull(4);
    EXPECT_EQ(rig.pass(5), Told{});
    insert(4, 4);
    EXPECT_EQ(rig.pass(i % 3), Told{});
  }
  EXPECT_EQ(rig.pass(600), Told{});
}

TEST_F(HappeningsTest, OneThatComesAndGoesForLongerIsToldAFewTimes) {
  settle();
  Told all;
  for (int i = 0; i < 30; ++i) {
    pull(4);
    for (std::string& text : rig.pass(30)) all.push_back(std::move(text));
    insert(4, 4);
    for (std::string& text : rig.pass(30)) all.push_back(std::move(text));
  }
  EXPECT_EQ(std::count(all.begin(), all.end(), "disk-removed SLOT 4"), Happenings::kMostCounted);
  EXPECT_EQ(std::count(all.begin(), all.end(), "disk-removed SLOT 4 (too often)"),
            30 - Happenings::kMostCounted);
  rig.pass(7200);
  pull(4);
  EXPECT_EQ(rig.pass(60), Told{"disk-removed SLOT 4"}) << "a while later it is news again";
}

TEST_F(HappeningsTest, ADiskThatMovesAtOnceIsToldByItsNewBay) {
  settle();
  pull(4);
  rig.pass(3);
  insert(4, 61);
  EXPECT_EQ(rig.pass(60), Told{"disk-inserted SLOT 61"});
}

TEST_F(HappeningsTest, TheBayIsWaitedFor) {
  settle();
  rig.say("disk", {HappeningRig::disk(300)});
  EXPECT_EQ(rig.pass(15), Told{});
  rig.say("enclosure", {HappeningRig::bay(70, 300)});
  EXPECT_EQ(rig.pass(15), Told{"disk-inserted SLOT 70"});
  rig.say("disk", {HappeningRig::disk(301)});
  EXPECT_EQ(rig.pass(40), Told{"disk-inserted"}) << "one without a bay is told too";
}

TEST_F(HappeningsTest, AResilverBeginsAndEnds) {
  settle();
  rig.say("zfs", {HappeningRig::pool(kFirst, "resilver", "17")});
  rig.say("zfs", {HappeningRig::pool(kFirst, "resilver", "17")});
  EXPECT_EQ(rig.pass(1), Told{"resilver-started tank"});
  rig.restart();
  rig.say("zfs", {HappeningRig::pool(kFirst, "resilver", "17")}, true);
  EXPECT_EQ(rig.pass(1), Told{});
  rig.reboot();
  rig.say("zfs", {HappeningRig::pool("", "resilver", "17")}, true);
  EXPECT_EQ(rig.pass(1), Told{}) << "it goes on after the machine's start";
  rig.say("zfs", {HappeningRig::pool(kSecond)});
  EXPECT_EQ(rig.pass(1), Told{"resilver-finished tank"});
  EXPECT_EQ(rig.told.back().result, kSecond);
  EXPECT_EQ(rig.pass(86400), Told{});
}

TEST_F(HappeningsTest, AResilverThatNobodySawRunIsToldOnce) {
  settle();
  rig.restart();
  rig.say("zfs", {HappeningRig::pool("")}, true);  // not known yet
  rig.say("zfs", {HappeningRig::pool(kSecond)}, true);
  EXPECT_EQ(rig.pass(1), Told{"resilver-finished tank"});
  rig.reboot();
  rig.say("zfs", {HappeningRig::pool("")}, true);
  rig.say("zfs", {HappeningRig::pool(kSecond)}, true);
  EXPECT_EQ(rig.pass(1), Told{});
}

TEST_F(HappeningsTest, APoolThatGivesNoAnswerOrIsImportedIsNoNews) {
  settle();
  Resource silent = HappeningRig::pool(kSecond);
  silent.properties["observed"] = std::string("not-observed");
  rig.say("zfs", {silent});
  EXPECT_EQ(rig.pass(1), Told{});
  Resource other = HappeningRig::pool(kSecond);
  other.fmri = "zfs://pool=2";
  rig.say("zfs", {other});
  EXPECT_EQ(rig.pass(60), Told{});
}

TEST(ScrubFoundErrors, AsZfsAndMdSayIt) {
  EXPECT_FALSE(scrub_found_errors("scrub repaired 0B in 00:00:01 with 0 errors on Sun"));
  EXPECT_TRUE(scrub_found_errors("scrub repaired 12K in 00:00:01 with 0 errors on Sun"));
  EXPECT_TRUE(scrub_found_errors("scrub repaired 0B in 00:00:01 with 10 errors on Sun"));
  EXPECT_TRUE(scrub_found_errors("scrub repaired 1.50M in 0 days 00:00:01 with 2 errors on Sun"));
  EXPECT_FALSE(scrub_found_errors("scrub canceled on Sun"));
  EXPECT_FALSE(scrub_found_errors("resilvered 1G in 00:00:01 with 4 errors on Sun"));
  EXPECT_FALSE(scrub_found_errors("check ended Nov 14 22:13:20, 0 sectors did not match"));
  EXPECT_TRUE(scrub_found_errors("check ended Nov 14 22:13:20, 128 sectors did not match"));
  EXPECT_FALSE(scrub_found_errors(""));
}

TEST_F(HappeningsTest, AScrubIsToldWhenItFoundSomething) {
  settle();
  rig.say("zfs", {HappeningRig::pool("scrub repaired 0B in 1 with 0 errors on Sun")});
  EXPECT_EQ(rig.pass(1), Told{});
  rig.say("zfs", {HappeningRig::pool("scrub repaired 4K in 1 with 0 errors on Mon")});
  EXPECT_EQ(rig.pass(1), Told{"scrub-errors tank"});
  EXPECT_EQ(rig.told.back().severity, "Minor");
  rig.say("zfs", {HappeningRig::pool("scrub repaired 0B in 1 with 3 errors on Tue")});
  EXPECT_EQ(rig.pass(1), Told{"scrub-errors tank"});
  EXPECT_EQ(rig.told.back().severity, "Major");
}

TEST_F(HappeningsTest, ASpareComesIn) {
  settle();
  rig.say("zfs", {HappeningRig::vdev("resilvering", "zfs://pool=1/vdev=9")});
  rig.say("zfs", {HappeningRig::vdev("active", "zfs://pool=1/vdev=9")});
  EXPECT_EQ(rig.pass(60), Told{"spare-activated tank"});
  EXPECT_EQ(rig.told.back().by, "zfs://pool=1/vdev=9");
  rig.reboot();
  rig.say("zfs", {HappeningRig::vdev("active", "zfs://pool=1/vdev=9")}, true);
  EXPECT_EQ(rig.pass(60), Told{});
  rig.say("zfs", {HappeningRig::vdev("none")});
  EXPECT_EQ(rig.pass(60), Told{});
}

TEST_F(HappeningsTest, APluginFallsSilentAndDies) {
  rig.say("fmd", {HappeningRig::plugin("ok")});
  rig.say("fmd", {HappeningRig::plugin("silent")});
  rig.say("fmd", {HappeningRig::plugin("dead")});
  EXPECT_EQ(rig.pass(60), Told{"plugin-silent"});
  rig.restart();
  rig.say("fmd", {HappeningRig::plugin("dead")});
  EXPECT_EQ(rig.pass(60), Told{});
  rig.say("fmd", {HappeningRig::plugin("ok")});
  rig.say("fmd", {HappeningRig::plugin("silent")});
  rig.pass(3);
  rig.say("fmd", {HappeningRig::plugin("ok")});
  EXPECT_EQ(rig.pass(60), Told{}) << "it came back before anybody was told";
}

TEST_F(HappeningsTest, ALightThatCannotBeDriven) {
  settle();
  Resource bay = HappeningRig::bay(4, 4);
  bay.properties["led.fault"] = std::string("cannot-drive");
  bay.properties["led.reason"] = std::string("no answer");
  rig.say("enclosure", {bay});
  EXPECT_EQ(rig.pass(60), Told{"led-failed SLOT 4"});
  EXPECT_EQ(rig.told.back().detail, "no answer");
  rig.restart();
  bay.properties["led.reason"] = std::string("still no answer");
  rig.say("enclosure", {bay});
  EXPECT_EQ(rig.pass(60), Told{});
}

TEST_F(HappeningsTest, MaintenanceHoldsThemBack) {
  settle();
  bool works = true;
  rig.held = [&](const Happening&) { return works; };
  pull(4);
  EXPECT_EQ(rig.pass(60), Told{"disk-removed SLOT 4 (waits)"});
  pull(5);
  EXPECT_EQ(rig.pass(60), Told{"disk-removed SLOT 5 (waits)"});
  insert(4, 4);
  rig.say("zfs", {HappeningRig::pool(kFirst, "resilver", "17")});
  EXPECT_EQ(rig.pass(60), Told{"resilver-started tank (waits)"});
  rig.say("zfs", {HappeningRig::pool(kSecond)});
  EXPECT_EQ(rig.pass(60), Told{"resilver-finished tank (waits)"});
  rig.restart();
  EXPECT_EQ(rig.pass(60), Told{}) << "they wait on, and that is no news";
  works = false;
  rig.happenings->let_go();
  EXPECT_EQ(rig.pass(60),
            (Told{"disk-removed SLOT 5", "resilver-started tank (over)", "resilver-finished tank"}))
      << "what is so still is told, and what has ended";
  EXPECT_EQ(rig.pass(86400), Told{});
}

TEST_F(HappeningsTest, TheBookIsNoLongerThanItMayBe) {
  settle();
  for (size_t i = 0; i < Happenings::kKept + 20; ++i) {
    rig.say("zfs", {HappeningRig::pool("resilvered " + std::to_string(i))});
    rig.pass(700);
  }
  EXPECT_EQ(rig.happenings->list().size(), Happenings::kKept);
  EXPECT_EQ(rig.happenings->take_forgotten().size(), 20u);
  const std::string uuid = rig.told.back().uuid;
  rig.restart();
  ASSERT_NE(rig.happenings->find(uuid), nullptr);
  EXPECT_EQ(*rig.happenings->find(uuid), rig.told.back());
}

TEST(Happenings, ARowThatCannotBeReadIsLeftOut) {
  Happenings happenings([] { return std::string("u"); });
  const auto restored =
      happenings.restore({{"happening", "u1", "{}"}, {"case", "c", "x"}}, Inventory());
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().message, "stored event u1 cannot be read");
}

}  // namespace
}  // namespace fmd
