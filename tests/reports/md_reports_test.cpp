// Public reports about md arrays (plugins/volumes/tests/fixtures/field/README.md), and the kind behind them:
// an array that does not run, or is not there, is told.
#include <gtest/gtest.h>

#include "tests/reports/array_play.h"

namespace fmd::reports {
namespace {

using Told = std::vector<std::string>;

constexpr const char* kInactive = "fault.md.array.inactive";
constexpr const char* kGone = "fault.md.array.gone";

TEST(MdReports, AnArrayThatABootDidNotStart) {
  ArrayPlay play;
  play.report("inactive.txt");
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{"Major fault.md.array.inactive md127"});
  const std::string words = play.machine.words(kInactive);
  EXPECT_TRUE(mentions(words, "members that are there: sdb.")) << words;
  EXPECT_TRUE(mentions(words, "'mdadm --run /dev/md127'")) << words;
  EXPECT_TRUE(play.machine.asked.empty());
}

TEST(MdReports, AnArrayThatWasSeenHealthyAndIsInactive) {
  ArrayPlay play;
  play.report("inactive-after-seen.txt");
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{"Major fault.md.array.inactive md127"});
  const std::string words = play.machine.words(kInactive);
  EXPECT_TRUE(mentions(words, "members that are there: sdb.")) << words;
  EXPECT_TRUE(mentions(words, "Its members that are not: sdc.")) << words;
  EXPECT_TRUE(play.machine.asked.empty());
}

// A boot may number the arrays otherwise, and sysfs has no UUID of one that was not started.
TEST(MdKinds, AnInactiveArrayIsKnownByItsMembers) {
  ArrayPlay play(6);
  play.line("array md3=raid5:1,2,4");
  play.line("array md4=raid1:5,6");
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{});
  play.reboot();
  play.line("rm sys/block/md3");
  play.line("array md127=raid5:1,2,4");
  for (const char* file : {"level", "uuid"})
    play.line(std::string("set sys/block/md127/md/") + file);
  play.line("set sys/block/md127/md/array_state inactive");
  play.line("set sys/block/md127/md/raid_disks 0");
  play.line("rm sys/block/md127/md/dev-@DEV4@");
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{"Major fault.md.array.inactive md127"})
      << "and none that is gone";
  EXPECT_TRUE(
      mentions(play.machine.words(kInactive), "there: sdb, sdc. Its members that are not: sde."))
      << play.machine.words(kInactive);
  play.line("array md127=raid5:1,2,4");
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{});
}

TEST(MdKinds, AnArrayThatIsGoneAltogether) {
  for (const bool reboots : {false, true}) {
    SCOPED_TRACE(reboots);
    ArrayPlay play;
    play.line("array md9=raid6:1,2,3,4");
    play.settle();
    if (reboots) play.reboot();
    play.line("rm sys/block/md9");
    play.look();
    play.machine.pass(300);
    EXPECT_EQ(play.machine.told(), Told{}) << "it may come yet";
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{"Major fault.md.array.gone md9"});
    const std::string words = play.machine.words(kGone);
    EXPECT_TRUE(mentions(words, "md9 (raid6)")) << words;
    EXPECT_TRUE(mentions(words, "Its members were: sdb, sdc, sdd, sde.")) << words;
    play.line("array md9=raid6:1,2,3,4");
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{});
  }
}

TEST(MdKinds, WhatIsMadeAnewOfTheSameDisksIsNotMissed) {
  ArrayPlay play;
  play.line("array md0=raid0:1,2");
  play.settle();
  play.line("rm sys/block/md0");
  play.line("array md5=raid1:1,2");
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{});
}

}  // namespace
}  // namespace fmd::reports
