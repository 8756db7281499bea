// Public reports about md arrays (plugins/volumes/tests/fixtures/field/README.md), and the general
// rule behind them: an array that does not run, or is missing, is announced.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fmd/base/json.h"
#include "tests/reports/array_play.h"
#include "tests/reports/md_losses.h"

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

// A boot may number the arrays differently, and sysfs has no UUID for an array that was not
// started.
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
    if (reboots)
      play.reboot();
    else  // mdadm's udev rule removes one member after the other, and then the array
      play.line("rm sys/class/block/@DEV3@");
    play.line("rm sys/block/md9");
    play.look();
    play.machine.pass(300);
    EXPECT_EQ(play.machine.told(), Told{}) << "it may come yet";
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{"Major fault.md.array.gone md9"});
    const std::string words = play.machine.words(kGone);
    EXPECT_TRUE(mentions(words, "md9 (raid6)")) << words;
    EXPECT_TRUE(mentions(words, "Its members were: sdb, sdc, sdd, sde.")) << words;
    if (!reboots)
      play.line("link sys/class/block/@DEV3@ /sys/devices/pci0000:00/host0/0:0:3:0/block/@DEV3@");
    play.line("array md9=raid6:1,2,3,4");
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{});
  }
}

TEST(MdKinds, AnArrayThatAPersonStopsIsNoCase) {
  ArrayPlay play;
  play.line("array md9=raid6:1,2,3,4");
  play.settle();
  play.line("rm sys/block/md9");
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{});
  for (const char* device : {"@DEV1@", "@DEV2@"})
    play.line(std::string("rm sys/class/block/") + device);
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{}) << "whose disks are pulled afterwards";
  play.reboot();
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{"Major fault.md.array.gone md9"}) << "no boot started it";
}

// --run with too few members, --stop, and disks that appear late: one case covers it all.
TEST(MdKinds, AnArrayThatHadFailedBeforeItWasStoppedIsOneCase) {
  for (const bool inactive : {false, true}) {
    SCOPED_TRACE(inactive);
    ArrayPlay play;
    play.line("array md0=raid5:1,2,3");
    play.settle();
    if (inactive) {
      play.line("set sys/block/md0/md/array_state inactive");
    } else {
      play.line("set sys/block/md0/md/dev-@DEV1@/state faulty");
      play.line("set sys/block/md0/md/dev-@DEV2@/state faulty");
      play.line("set sys/block/md0/md/degraded 2");
    }
    play.settle();
    const Told before = play.machine.told();
    EXPECT_EQ(before, Told{inactive ? "Major fault.md.array.inactive md0"
                                    : "Critical fault.md.array.failed md0"});
    play.line("rm sys/block/md0");
    play.settle();
    EXPECT_EQ(play.machine.told(), before);
    play.line("array md0=raid5:1,2,3");
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

// --- Members that fail together

const Told kOnlyTheArray{"Critical fault.md.array.failed md0"};
const Told kOnlyTheHba{"Critical fault.io.path.shared HBA 0"};

TEST(MdKinds, OneMemberThatFailsIsToBeReplaced) {
  ArrayPlay play;
  play.line("array md0=raid6:1,2,3,4");
  play.settle();
  make_faulty(play, "md0", {2});
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{"Major fault.md.member.faulty SLOT 02"});
  EXPECT_TRUE(
      mentions(play.machine.words("fault.md.member.faulty"), "Replace the disk in SLOT 02"));
  EXPECT_EQ(play.machine.lit.size(), 1u);
}

// fmd writes no partition table, and so promises no automatic replacement.
TEST(MdKinds, AMemberOnAPartitionIsReplacedByAPerson) {
  for (const char* state : {"faulty", "gone"}) {
    ArrayPlay play;
    play.line("array md0=raid1:1,2");
    for (const char* n : {"1", "2"}) {
      const std::string disk = fmt::format("@DEV{}@", n);
      const std::string sysfs =
          fmt::format("sys/devices/pci0000:00/host0/0:0:{}:0/block/{}/{}3", n, disk, disk);
      play.line("set " + sysfs + "/partition 3");
      play.line(fmt::format("link sys/class/block/{}3 /{}", disk, sysfs));
      play.line("rm sys/block/md0/md/dev-" + disk);
      for (const std::string& one : {std::string("state in_sync"), std::string("errors 0"),
                                     fmt::format("slot {}", n[0] - '1')})
        play.line(fmt::format("set sys/block/md0/md/dev-{}3/{}", disk, one));
    }
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{});
    const bool faulty = std::string_view(state) == "faulty";
    play.line(faulty ? "set sys/block/md0/md/dev-@DEV2@3/state faulty"
                     : "rm sys/block/md0/md/dev-@DEV2@3");
    play.line("set sys/block/md0/md/degraded 1");
    play.settle();
    const std::string fault = faulty ? "fault.md.member.faulty" : "fault.md.member.missing";
    EXPECT_EQ(play.machine.told(), Told{"Major " + fault + " SLOT 02"});
    const std::string words = play.machine.words(fault);
    EXPECT_EQ(mentions(words, "NEW-PARTITION"), faulty) << words;
    EXPECT_FALSE(mentions(words, "automatic")) << words;
    EXPECT_FALSE(mentions(words, "fmadm replace")) << words;
  }
}

// Without its journal the array takes no writes. The kernel does not list a removed journal.
TEST(MdKinds, AJournalThatIsLost) {
  const auto with_journal = [](ArrayPlay& play, bool listed) {
    play.line("array md3=raid6:1,2,3,5");
    play.line("set sys/block/md3/md/consistency_policy journal");
    if (!listed) return;
    for (const char* one : {"state journal", "slot journal", "errors 0", "bad_blocks "})
      play.line(std::string("set sys/block/md3/md/dev-@DEV4@/") + one);
  };
  for (const char* way : {"removed", "faulty", "faulty, then removed", "never seen"}) {
    SCOPED_TRACE(way);
    const bool seen = std::string_view(way) != "never seen";
    ArrayPlay play(6);
    with_journal(play, seen);
    if (seen) {
      play.settle();
      EXPECT_EQ(play.machine.told(), Told{}) << "it has it";
    }
    if (std::string_view(way).starts_with("faulty")) {
      play.line("set sys/block/md3/md/dev-@DEV4@/state faulty,journal");
      play.look();
      play.machine.pass(30);
    }
    if (std::string_view(way).ends_with("removed")) play.line("rm sys/block/md3/md/dev-@DEV4@");
    play.settle();
    EXPECT_EQ(play.machine.told(),
              Told{std::string("Critical fault.md.journal ") + (seen ? "SLOT 04" : "a journal")});
    const std::string words = play.machine.words("fault.md.journal");
    EXPECT_TRUE(mentions(words, "takes no writes")) << words;
    EXPECT_FALSE(mentions(words, "used automatically")) << words;
    for (const std::string& one : play.machine.asked)
      EXPECT_TRUE(one.starts_with("restore ")) << one;
    with_journal(play, true);
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{});
  }
  ArrayPlay play(6);
  with_journal(play, true);
  play.settle();
  play.line("rm sys/block/md3/md/dev-@DEV4@");
  play.line("set sys/block/md3/md/consistency_policy resync");
  play.settle();
  EXPECT_EQ(play.machine.told(), Told{}) << "a person has converted it";
}

TEST(MdKinds, AnArrayThatLosesTooManyAtOnceAccusesNoDisk) {
  const std::vector<std::pair<std::string, std::vector<int>>> losses{{"raid5:1,2,3,4", {1, 2}},
                                                                     {"raid1:1,2", {1, 2}},
                                                                     {"raid6:1,2,3,4", {1, 3, 4}},
                                                                     {"raid10:1,2,3,4", {3, 4}}};
  for (const auto& [array, lost] : losses)
    for (const bool gone : {false, true}) {
      SCOPED_TRACE(array + (gone ? " gone" : " faulty"));
      ArrayPlay play;
      play.line("array md0=" + array);
      if (array.starts_with("raid10")) play.line("set sys/block/md0/md/layout 258");
      play.settle();
      if (gone)
        remove_members(play, "md0", lost);
      else
        make_faulty(play, "md0", lost);
      play.settle();
      EXPECT_EQ(play.machine.told(), kOnlyTheArray);
      EXPECT_TRUE(play.machine.lit.empty());
      EXPECT_TRUE(play.machine.asked.empty()) << play.machine.asked.front();
      play.line("array md0=" + array);
      play.settle();
      EXPECT_EQ(play.machine.told(), Told{});
    }
}

TEST(MdKinds, OtherLayoutsThatLoseTooMuch) {
  struct Loss {
    std::string array, layout;
    std::vector<int> lost;
  };
  const std::vector<Loss> losses{{"raid10:1,2,3,4", "513", {1, 3}},    // far 2
                                 {"raid10:1,2,3,4", "66049", {2, 3}},  // offset 2
                                 {"raid10:1,2,3,4,5", "258", {1, 2}},  // near 2 of an odd number
                                 {"raid10:1,2,3,4,5,6", "259", {4, 5, 6}},
                                 {"raid4:1,2,3", "0", {1, 3}},
                                 {"raid1:1,2,3", "0", {1, 2, 3}}};
  for (const Loss& loss : losses) {
    SCOPED_TRACE(loss.array + " " + loss.layout);
    ArrayPlay play(6);
    play.line("array md0=" + loss.array);
    play.line("set sys/block/md0/md/layout " + loss.layout);
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{});
    make_faulty(play, "md0", loss.lost);
    play.settle();
    EXPECT_EQ(play.machine.told(), kOnlyTheArray);
    EXPECT_TRUE(play.machine.lit.empty());
    EXPECT_TRUE(play.machine.asked.empty());
  }
}

// Levels without redundancy have no faulty members: the kernel calls the whole array broken.
TEST(MdKinds, AnArrayWithoutRedundancyThatIsBroken) {
  for (const char* level : {"raid0", "linear"})
    for (const bool gone : {false, true}) {
      ArrayPlay play;
      play.line(std::string("array md0=") + level + ":1,2,3");
      play.settle();
      EXPECT_EQ(play.machine.told(), Told{});
      play.line("set sys/block/md0/md/array_state broken");
      if (gone) play.machine.set_away({2});
      play.settle();
      EXPECT_EQ(play.machine.told(), kOnlyTheArray) << level;
      EXPECT_FALSE(mentions(play.machine.words("fault.md.array.failed"), "eplace the"));
      EXPECT_TRUE(play.machine.asked.empty());
    }
}

// mdmon removes a failed disk from the volume. The container still lists it.
TEST(MdKinds, AVolumeOfFirmwareRaidThatLosesAMember) {
  for (const char* metadata : {"external:/md127/0", "external:-md127/1"}) {
    ArrayPlay play;
    play.line("array md126=raid5:1,2,3");
    play.line(std::string("set sys/block/md126/md/metadata_version ") + metadata);
    play.line("set sys/block/md127/md/metadata_version external:imsm");
    play.line("set sys/block/md127/md/array_state inactive");
    for (const char* disk : {"1", "2", "3"})
      play.line(std::string("set sys/block/md127/md/dev-@DEV") + disk + "@/state spare");
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{});
    play.line("rm sys/block/md126/md/dev-@DEV2@");
    play.line("set sys/block/md126/md/degraded 1");
    play.settle();
    EXPECT_EQ(play.machine.told(), Told{"Major fault.md.member.missing SLOT 02"});
    play.reboot();
    play.line("rm sys/block/md126/md/dev-@DEV3@");
    play.line("set sys/block/md126/md/array_state inactive");
    play.line("set sys/block/md126/md/level");
    play.settle();
    EXPECT_TRUE(mentions(fmt::format("{}", fmt::join(play.machine.told(), ";")),
                         "fault.md.array.inactive md126"));
  }
}

TEST(MdKinds, TheLastHalfOfAMirrorThatFailsLater) {
  ArrayPlay play;
  play.line("array md0=raid1:1,2");
  play.settle();
  make_faulty(play, "md0", {1});
  play.settle();
  EXPECT_EQ(play.machine.lit.size(), 1u);
  make_faulty(play, "md0", {1, 2});
  play.settle();
  EXPECT_EQ(play.machine.told(),
            (Told{"Critical fault.md.array.failed md0", "Major fault.md.member.faulty SLOT 01"}));
  EXPECT_TRUE(play.machine.lit.empty()) << "the first may hold what the second has lost";
  const std::string words = play.machine.words("fault.md.member.faulty");
  EXPECT_TRUE(mentions(words, "Bring the disk in SLOT 01")) << words;
  EXPECT_FALSE(mentions(words, "Replace")) << words;
  EXPECT_FALSE(mentions(words, "No data is known to be lost")) << words;
  EXPECT_FALSE(mentions(words, "runs without it")) << words;
}

// New disks are filled in the slots of disks that have left. Then one of their sources is lost.
TEST(MdKinds, ADiskLostWhileAnotherIsFilledMayHoldTheOnlyCopy) {
  struct Play {
    std::string array, layout;
    std::vector<int> slots;  // filled by disks 5, 6 …
    int lost;
    Loss loss;
  };
  for (const Play& p : std::vector<Play>{{"raid1:1,2", "0", {0}, 2, Loss::listed},
                                         {"raid1:1,2", "0", {0}, 2, Loss::removed},
                                         {"raid1:1,2,3", "0", {0, 1}, 3, Loss::listed},
                                         {"raid10:1,2,3,4", "258", {2}, 4, Loss::listed},
                                         {"raid10:1,2,3,4", "258", {2}, 4, Loss::removed},
                                         {"raid10:1,2,3,4", "513", {0}, 2, Loss::faulty},
                                         {"raid4:1,2,3", "0", {2}, 1, Loss::faulty},
                                         {"raid5:1,2,3,4", "2", {1}, 3, Loss::faulty},
                                         {"raid5:1,2,3,4", "2", {1}, 3, Loss::removed},
                                         {"raid5:1,2,3,4", "2", {1}, 3, Loss::listed},
                                         {"raid6:1,2,3,4", "2", {0, 1}, 4, Loss::faulty},
                                         {"raid6:1,2,3,4", "2", {0, 1}, 4, Loss::removed}}) {
    SCOPED_TRACE(fmt::format("{} {} {}", p.array, p.lost, static_cast<int>(p.loss)));
    ArrayPlay play(8);
    play.line("array md0=" + p.array);
    play.line("set sys/block/md0/md/layout " + p.layout);
    play.settle();
    int fresh = 5;
    for (const int slot : p.slots) {
      remove_members(play, "md0", {slot + 1});
      play.line(fmt::format("set sys/block/md0/md/dev-@DEV{}@/state spare", fresh));
      play.line(fmt::format("set sys/block/md0/md/dev-@DEV{}@/slot {}", fresh, slot));
      ++fresh;
    }
    play.line("set sys/block/md0/md/sync_action recover");
    play.settle();
    play.machine.asked.clear();
    lose(play, p.lost, p.loss);
    play.settle();
    const Told told = play.machine.told();
    EXPECT_NE(std::find(told.begin(), told.end(), "Critical fault.md.array.failed md0"), told.end())
        << fmt::format("{}", fmt::join(told, ";"));
    EXPECT_TRUE(play.machine.lit.empty());
    EXPECT_TRUE(play.machine.asked.empty()) << play.machine.asked.front();
    const std::string words = play.machine.words("fault.md.array.failed");
    EXPECT_TRUE(mentions(words, "When the disks are back")) << words;
    EXPECT_FALSE(mentions(words, "eplace the")) << words;
  }
}

// The others of a raid6 can still rebuild both.
TEST(MdKinds, ADiskLostWhileAnotherIsFilledInARaid6) {
  for (const Loss loss : {Loss::faulty, Loss::removed}) {
    ArrayPlay play(8);
    play.line("array md0=raid6:1,2,3,4");
    play.settle();
    remove_members(play, "md0", {1});
    play.line("set sys/block/md0/md/dev-@DEV5@/state spare");
    play.line("set sys/block/md0/md/dev-@DEV5@/slot 0");
    play.line("set sys/block/md0/md/sync_action recover");
    play.settle();
    lose(play, 3, loss);
    play.settle();
    for (const std::string& one : play.machine.told())
      EXPECT_FALSE(mentions(one, "array.failed")) << one;
    EXPECT_EQ(play.machine.lit.size(), loss == Loss::faulty ? 1u : 0u);
  }
}

TEST(MdKinds, MembersBehindOneControllerThatFail) {
  for (const char* way : {"errors, faulty", "errors, gone", "faulty"}) {
    SCOPED_TRACE(way);
    ArrayPlay play(8);
    play.line("array md0=raid6:1,2,3,4");
    play.line("array md1=raid6:5,6,7,8");
    play.settle();
    if (mentions(way, "errors")) play.machine.fail_io({1, 2, 5, 6});
    if (mentions(way, "faulty")) {
      make_faulty(play, "md0", {1, 2});
      make_faulty(play, "md1", {5, 6});
    } else {
      remove_members(play, "md0", {1, 2});
      remove_members(play, "md1", {5, 6});
      play.machine.set_away({1, 2, 5, 6});
    }
    play.settle();
    EXPECT_EQ(play.machine.told(), kOnlyTheHba);
    EXPECT_TRUE(play.machine.lit.empty());
    EXPECT_TRUE(play.machine.asked.empty());
  }
}

}  // namespace
}  // namespace fmd::reports
