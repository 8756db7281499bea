// Public reports about ZFS pools (plugins/zfs/tests/fixtures/field/README.md): the expected
// verdicts, their severity and advice. Nothing else may be announced, lit or run.
#include "tests/reports/pool_play.h"

namespace fmd::reports {
namespace {

using Told = std::vector<std::string>;

constexpr const char* kSuspended = "fault.fs.zfs.io_failure_wait";
constexpr const char* kStuck = "fault.fs.zfs.spare.stuck";

// No command, no LED.
void expect_hands_off(const PoolPlay& play) {
  EXPECT_EQ(play.ran, std::vector<std::string>());
  EXPECT_TRUE(play.machine.lit.empty()) << *play.machine.lit.begin();
}

TEST(ZfsReports, BothHalvesOfAMirrorVanish) {
  PoolPlay play;
  play.report("both-halves-vanish.txt");
  play.machine.pass(1800);
  EXPECT_EQ(play.machine.told(), Told{"Critical fault.fs.zfs.io_failure_wait ppool"});
  const std::string words = play.machine.words(kSuspended);
  EXPECT_TRUE(mentions(words, "Bring the disks back (power of the enclosure, cables, controller)"))
      << words;
  EXPECT_TRUE(mentions(words, "zpool import -o readonly=on ppool")) << words;
  EXPECT_FALSE(mentions(words, "Replace the disk")) << words;
  EXPECT_EQ(play.machine.say(kSuspended).do_now.find("Bring the disks back"), 0u);
  expect_hands_off(play);
}

TEST(ZfsReports, AMultipathBlipTakesFourOfSixDisks) {
  for (const int controllers : {1, 2}) {
    SCOPED_TRACE(controllers);
    PoolPlay play(7, controllers);
    play.report("multipath-blip.txt");
    play.machine.pass(1800);
    EXPECT_EQ(play.machine.told(), Told{"Critical fault.fs.zfs.io_failure_wait pool2"});
    EXPECT_FALSE(mentions(play.machine.words(kSuspended), "Replace the disk"));
    expect_hands_off(play);
    EXPECT_EQ(play.machine.asked, std::vector<std::string>());
  }
}

TEST(ZfsReports, ASpareStaysBesideItsHealthyDisk) {
  PoolPlay play;
  play.report("spare-stays.txt");
  play.machine.pass(1800);
  EXPECT_EQ(play.machine.told(), Told{"Minor fault.fs.zfs.spare.stuck draid1-0-0"});
  EXPECT_TRUE(mentions(play.machine.words(kStuck), "'zpool detach tank draid1-0-0'"))
      << play.machine.words(kStuck);
  expect_hands_off(play);
}

TEST(ZfsReports, TwoDistributedSparesStayOnOneVdev) {
  PoolPlay play;
  play.report("two-distributed-spares.txt");
  play.machine.pass(1800);
  EXPECT_EQ(play.pool().vdevs.size(), 15u);
  EXPECT_EQ(play.machine.told(), (Told{"Minor fault.fs.zfs.spare.stuck draid2-0-0",
                                       "Minor fault.fs.zfs.spare.stuck draid2-0-1"}));
  const std::string words = play.machine.words(kStuck);
  EXPECT_TRUE(mentions(words, "'zpool detach tank20 draid2-0-")) << words;
  EXPECT_TRUE(mentions(words, "wwn-0x5000c500a0000007 beside it is ONLINE and holds all its data"))
      << words;
  expect_hands_off(play);
}

TEST(ZfsReports, ACacheDeviceAndASpareCannotBeOpened) {
  PoolPlay play;
  play.report("cache-and-spare-away.txt");
  play.machine.pass(1800);
  EXPECT_EQ(play.machine.told(),
            (Told{"Minor fault.fs.zfs.cache ata-Corsair_Force_3_SSD_00000000-part1",
                  "Minor fault.fs.zfs.spare SLOT 06"}));
  const std::string words = play.machine.words("fault.fs.zfs.cache");
  EXPECT_TRUE(mentions(words, "No data is at risk")) << words;
  EXPECT_TRUE(mentions(words, "zpool remove zones ata-Corsair_Force_3_SSD_00000000-part1"))
      << words;
  EXPECT_FALSE(mentions(words, "hot spare")) << words;
  EXPECT_EQ(play.machine.asked, std::vector<std::string>());
  expect_hands_off(play);
}

TEST(ZfsReports, HalfOfALogCannotBeOpened) {
  PoolPlay play;
  play.report("half-of-a-log.txt");
  play.machine.pass(1800);
  EXPECT_EQ(play.machine.told(), Told{"Major fault.fs.zfs.log 14807975228228307538"});
  const std::string words = play.machine.words("fault.fs.zfs.log");
  EXPECT_TRUE(mentions(words, "log device 14807975228228307538")) << words;
  EXPECT_TRUE(mentions(words, "path at an earlier boot: /dev/sda1")) << words;
  EXPECT_TRUE(mentions(words, "mirrored log has lost a copy")) << words;
  EXPECT_FALSE(mentions(words, "zpool clear store sda")) << words;
  EXPECT_EQ(play.machine.asked, std::vector<std::string>());
  expect_hands_off(play);
}

TEST(ZfsReports, EachDiskCountsChecksumErrorsWhileThePoolResilvers) {
  for (const int controllers : {1, 3}) {
    SCOPED_TRACE(controllers);
    PoolPlay play(7, controllers);
    play.report("all-disks-checksums.txt");
    play.machine.pass(1800);
    const Told told = play.machine.told();
    ASSERT_EQ(told.size(), 1u) << told.back();
    EXPECT_TRUE(told[0].starts_with("Critical fault.machine.spoils-data") ||
                told[0].starts_with("Critical fault.io.path.shared"))
        << told[0];
    EXPECT_EQ(play.machine.asked, std::vector<std::string>());
    expect_hands_off(play);
  }
}

TEST(ZfsReports, HalfOfAMirrorWasSplitOff) {
  PoolPlay play;
  play.report("split.txt");
  play.machine.pass(1800);
  ASSERT_EQ(play.pool().vdevs.size(), 4u);
  EXPECT_EQ(play.pool().vdevs[3].state, "SPLIT");
  EXPECT_EQ(play.machine.told(), Told{"Major fault.fs.zfs.vdev.split sdb"});
  EXPECT_TRUE(mentions(play.machine.words("fault.fs.zfs.vdev.split"), "zpool detach tank sdb"));
  EXPECT_EQ(play.machine.asked, std::vector<std::string>());
  expect_hands_off(play);
}

// The same reports in the JSON of `zpool status -j` (OpenZFS 2.3 and later).
TEST(ZfsReports, EachReportByJson) {
  for (const char* file : {"both-halves-vanish.txt", "multipath-blip.txt", "spare-stays.txt",
                           "two-distributed-spares.txt", "cache-and-spare-away.txt",
                           "half-of-a-log.txt", "all-disks-checksums.txt", "split.txt"}) {
    SCOPED_TRACE(file);
    PoolPlay text, json;
    json.by_json = true;
    for (PoolPlay* play : {&text, &json}) {
      play->report(file);
      play->machine.pass(1800);
    }
    EXPECT_EQ(json.machine.told(), text.machine.told());
    EXPECT_EQ(json.machine.lit, text.machine.lit);
    EXPECT_EQ(json.ran, text.ran);
    EXPECT_EQ(json.machine.asked, text.machine.asked);
  }
}

// --- Words that zpool(8) prints or may print

TEST(ZfsReports, ANameOfAnEarlierBootIsNoName) {
  PoolPlay play;
  play.look(zfs::test::status_text(
      "  raidz1-0 DEGRADED\n    @DISK1@ ONLINE\n    9173250862436130741 UNAVAIL was /dev/sdc1\n"
      "    @DISK3@ ONLINE\n",
      "none requested", "DEGRADED"));
  play.machine.pass(1800);
  EXPECT_EQ(play.machine.told(), Told{"Major fault.fs.zfs.device 9173250862436130741"});
  EXPECT_EQ(play.machine.words("fault.fs.zfs.device").find("sdc"), std::string::npos);
}

TEST(ZfsReports, AStateOfALaterVersionRefusesNothing) {
  PoolPlay play;
  play.look(zfs::test::status_text(
      "  mirror-0 DEGRADED\n    @DISK1@ ONLINE\n    @DISK2@ SANITIZING being cleaned\n",
      "none requested", "DEGRADED"));
  ASSERT_EQ(play.pool().vdevs.size(), 4u);
  EXPECT_EQ(play.pool().vdevs[3].state, "UNKNOWN");
  play.machine.pass(300);
  EXPECT_EQ(play.machine.told(), Told{});
  play.machine.pass(1800);
  EXPECT_EQ(play.machine.told(), Told{"Minor fault.fs.zfs.vdev.unknown_state SLOT 02"});
  EXPECT_TRUE(mentions(play.machine.words("fault.fs.zfs.vdev.unknown_state"), "SANITIZING"));
  expect_hands_off(play);
}

}  // namespace
}  // namespace fmd::reports
