// Pools as other versions, layouts and vendors print them: unknown text causes no error, blames no
// disk, and is reported.
#include <fmt/format.h>

#include <algorithm>

#include "plugins/zfs/zpool_status.h"
#include "tests/reports/pool_play.h"

namespace fmd::reports {
namespace {

using Told = std::vector<std::string>;
using zfs::test::status_text;

const std::string kOneSpare = "spares\n  @DISK9@ AVAIL\n";

std::string checksum(int disk, int times) {
  return fmt::format("{}x ereport.fs.zfs.checksum vdev=@DISK{}@ zio_err=0x34", times, disk);
}

bool replaces(const PoolPlay& play) {
  return std::any_of(play.ran.begin(), play.ran.end(), [](const std::string& one) {
    return one.starts_with("zpool replace") || one.starts_with("zpool offline");
  });
}

// --- Two disks of a raidz1 that both return wrong data: a shared cable, controller or memory
// module is more likely than two bad disks.

std::string raidz1(const char* first, const char* second) {
  const bool bad = std::string_view(first) != "ONLINE" || std::string_view(second) != "ONLINE";
  return status_text(fmt::format("  raidz1-0 {}\n    @DISK1@ {}\n    @DISK2@ {}\n    @DISK3@ "
                                 "ONLINE\n    @DISK4@ ONLINE\n",
                                 bad ? "DEGRADED" : "ONLINE", first, second) +
                         kOneSpare,
                     "none requested", bad ? "DEGRADED" : "ONLINE");
}

constexpr const char* kBad = "DEGRADED too many errors";
constexpr const char* kGroup = "fault.fs.zfs.group.degraded";

TEST(ZfsTexts, TwoDegradedDisksOfARaidz1WaitForAPersonAndSaySo) {
  for (const int controllers : {1, 2, 4}) {
    SCOPED_TRACE(controllers);
    PoolPlay play(9, controllers);
    play.look(raidz1("ONLINE", "ONLINE"));
    play.machine.pass(60);
    play.look(raidz1(kBad, kBad));
    play.machine.pass(24 * 3600);
    ASSERT_EQ(play.machine.told(), Told{"Critical fault.fs.zfs.group.degraded raidz1-0"});
    const std::string words = play.machine.words(kGroup);
    EXPECT_TRUE(mentions(words, "pull none of them")) << words;
    EXPECT_TRUE(mentions(words, "cables")) << words;
    EXPECT_TRUE(mentions(words, "zpool clear tank")) << words;
    EXPECT_FALSE(replaces(play));
    EXPECT_TRUE(play.machine.lit.empty());
    play.look(raidz1("ONLINE", "ONLINE"));
    play.machine.pass(3600);
    EXPECT_EQ(play.machine.told(), Told{}) << "cleared";
  }
}

// From the events, in several orders, optionally followed by ZED's verdict.
TEST(ZfsTexts, TwoDisksOfARaidz1WithChecksumErrors) {
  for (const int controllers : {1, 2})
    for (const int pause : {0, 30, 300})
      for (const bool zed : {false, true}) {
        SCOPED_TRACE(fmt::format("{} {} {}", controllers, pause, zed));
        PoolPlay play(9, controllers);
        play.look(raidz1("ONLINE", "ONLINE"));
        play.machine.pass(600);
        for (int round = 0; round < 12; ++round) {
          play.event(checksum(1, 1));
          if (pause == 0) play.event(checksum(2, 1));
          play.machine.pass(2);
        }
        if (zed) play.look(raidz1(kBad, pause == 0 ? kBad : "ONLINE"));
        if (pause > 0) {
          play.machine.pass(pause);
          play.event(checksum(2, 12));
          play.machine.pass(5);
          if (zed) play.look(raidz1(kBad, kBad));
        }
        play.machine.pass(24 * 3600);
        const Told told = play.machine.told();
        const auto is_told = [&](const std::string& slot) {
          return std::find(told.begin(), told.end(), "Major fault.fs.zfs.vdev.checksum " + slot) !=
                 told.end();
        };
        for (const char* slot : {"SLOT 01", "SLOT 02"})
          EXPECT_TRUE(is_told(slot) || (zed && play.machine.explains_any(kGroup))) << slot;
        if (!zed) continue;
        EXPECT_EQ(told.front(), "Critical fault.fs.zfs.group.degraded raidz1-0");
        EXPECT_TRUE(mentions(play.machine.words(kGroup), "pull none of them"));
        if (is_told("SLOT 01")) {
          const std::string words = play.machine.words("fault.fs.zfs.vdev.checksum");
          EXPECT_TRUE(mentions(words, "Do not pull the disk in SLOT 01")) << words;
        }
        const size_t ran = play.ran.size();
        play.machine.pass(24 * 3600);
        EXPECT_EQ(play.ran.size(), ran) << play.ran.back();
      }
}

// --- Texts

// The second of two mirrored devices, both as the pool names them, fails and gets that state.
std::string words_of_second(PoolPlay& play, const std::string& first, const std::string& second,
                            const std::string& state) {
  const auto rows = [&](const std::string& how) {
    return fmt::format("  mirror-0 DEGRADED\n    {} ONLINE\n    {} {}\n", first, second, how);
  };
  play.look(status_text(rows("ONLINE")));
  play.machine.pass(60);
  play.event(fmt::format("12x ereport.fs.zfs.io vdev={} zio_err=0x5", second));
  play.look(status_text(rows(state), "none requested", "DEGRADED"));
  play.machine.pass(3600);
  EXPECT_EQ(play.machine.told(), Told{"Major fault.fs.zfs.vdev.io SLOT 02"});
  return play.machine.words("fault.fs.zfs.vdev.io");
}

constexpr const char* kFailedStates[] = {"FAULTED too many errors", "UNAVAIL cannot open"};

// A person replaces a disk that predicts its failure by one in another bay, and then takes it out.
TEST(ZfsTexts, ADiskThatItsPoolHasReplacedIsTakenOut) {
  const auto mirror = [](const char* second) {
    return status_text(
        fmt::format("  mirror-0 ONLINE\n    @DISK1@ ONLINE\n    {} ONLINE\n  mirror-1 ONLINE\n    "
                    "@DISK4@ ONLINE\n"
                    "    @DISK5@ ONLINE\n",
                    second));
  };
  PoolPlay play(6);
  const std::string old_disk = Machine::disk(2);
  const auto smart = [&] {
    play.machine.take("smart", {{old_disk,
                                 {{"fmri", old_disk},
                                  {"type", "disk"},
                                  {"properties", {{"smart.status", "failed"}}},
                                  {"edges", nlohmann::json::array()},
                                  {"present", true}}}});
  };
  play.machine.set_content(2, "used");
  play.look(mirror("@DISK2@"));
  smart();
  play.machine.pass(60);
  const char* fault = "fault.io.disk.predictive-failure";
  EXPECT_TRUE(mentions(play.machine.say(fault).do_now, "Replace the disk in SLOT 02"));
  play.look(mirror("@DISK3@"));
  play.machine.pass(60);
  const Say say = play.machine.say(fault);
  EXPECT_EQ(say.do_now,
            "Take out the disk in SLOT 02 (serial ZA100002): pool tank no longer uses it.");
  EXPECT_TRUE(say.safe_to_pull.yes()) << say.safe_to_pull.why;
  EXPECT_EQ(play.machine.lit.size(), 1u) << "its fault LED shows where it is";
  play.machine.pull(2);
  play.machine.take("smart", std::map<std::string, nlohmann::json>());
  play.machine.pass(60);
  EXPECT_EQ(play.machine.told(), Told{});
  EXPECT_TRUE(play.machine.lit.empty());
}

// A pool that the machine boots from is on one of several partitions. A whole disk in its place would
// boot nothing, so fmd promises no automatic replacement.
TEST(ZfsTexts, APartitionAmongOthersIsReplacedByAPerson) {
  for (const char* state : kFailedStates) {
    PoolPlay play(4);
    const std::string words = words_of_second(play, "@PART1@", "@PART2@", state);
    EXPECT_TRUE(mentions(words, "NEW-PARTITION' once the new disk has the partitions")) << words;
    EXPECT_FALSE(mentions(words, "automatic")) << words;
    EXPECT_FALSE(mentions(words, "fmadm replace")) << words;
  }
}

TEST(ZfsTexts, AVdevOnLuksIsReplacedByAPerson) {
  for (const char* state : kFailedStates) {
    PoolPlay play(4);
    play.mapped = true;
    const std::string words = words_of_second(play, "@DISK1@", "@DISK2@", state);
    EXPECT_TRUE(mentions(words, "NEW-MAPPING' once the new disk has the encryption")) << words;
    EXPECT_FALSE(mentions(words, "automatic")) << words;
    EXPECT_FALSE(mentions(words, "fmadm replace")) << words;
    EXPECT_TRUE(play.ran.empty());
  }
}

TEST(ZfsTexts, ASectionOfALaterVersionRefusesNothing) {
  for (const char* section : {"embedded", "zil", "block-cloning", "tier"}) {
    PoolPlay play(9);
    const auto text = [&](const char* state) {
      return status_text(
          fmt::format("  mirror-0 ONLINE\n    @DISK1@ ONLINE\n    @DISK2@ ONLINE\n"
                      "{}\n  mirror-1 {}\n    @DISK3@ ONLINE\n    @DISK4@ {}\n",
                      section, std::string_view(state) == "ONLINE" ? "ONLINE" : "DEGRADED", state) +
          kOneSpare);
    };
    play.look(text("ONLINE"));
    play.machine.pass(3600);
    EXPECT_EQ(play.machine.told(), Told{}) << section;
    play.look(text("UNAVAIL"));
    play.machine.pass(3600);
    EXPECT_EQ(play.machine.told(), Told{"Major fault.fs.zfs.device SLOT 04"}) << section;
  }
}

TEST(ZfsTexts, APoolBesideOneThatIsSuspended) {
  const std::string first = status_text(
      "  mirror-0 UNAVAIL\n    /dev/sda1 REMOVED\n    /dev/sdb1 "
      "UNAVAIL\n",
      "none requested", "SUSPENDED");
  std::string second = status_text(
      "  draid2:4d:8c:2s-0 ONLINE\n    /dev/sdc1 ONLINE\n"
      "dedup\n  /dev/sdd1 ONLINE\nspares\n  draid2-0-0 AVAIL\n");
  second.replace(second.find("tank"), 4, "pond");
  second.replace(second.find("\ttank"), 5, "\tpond");
  const auto pools = zfs::parse_status(first + "\n" + second);
  ASSERT_TRUE(pools) << pools.error().text();
  ASSERT_EQ(pools->size(), 2u);
  EXPECT_EQ(pools->front().state, "SUSPENDED");
  EXPECT_EQ(pools->back().name, "pond");
  EXPECT_EQ(pools->back().rows.back().section, "spares");
}

// --- All copies at once, in other layouts

struct PoolLayout {
  const char* name;
  std::string well, lost;
};

TEST(ZfsTexts, AllCopiesAtOnceInOtherLayouts) {
  const auto rows = [](const char* group, int disks, int lost, const char* state,
                       const char* group_state) {
    std::string out = fmt::format("  {} {}\n", group, group_state);
    for (int n = 1; n <= disks; ++n)
      out += fmt::format("    @DISK{}@ {}\n", n, n <= lost ? state : "ONLINE");
    return out;
  };
  const std::string data = "  mirror-0 ONLINE\n    @DISK5@ ONLINE\n    @DISK6@ ONLINE\n";
  const auto special = [&](const char* section, const char* state, const char* group) {
    return data + fmt::format("{}\n  mirror-1 {}\n    @DISK1@ {}\n    @DISK2@ {}\n", section, group,
                              state, state);
  };
  for (const char* state : {"REMOVED", "UNAVAIL cannot open", "FAULTED too many errors"})
    for (const PoolLayout& layout : std::initializer_list<PoolLayout>{
             {"raidz3", rows("raidz3-0", 8, 0, state, "ONLINE"),
              rows("raidz3-0", 8, 4, state, "UNAVAIL insufficient replicas")},
             {"draid2", rows("draid2:4d:8c:0s-0", 8, 0, state, "ONLINE"),
              rows("draid2:4d:8c:0s-0", 8, 3, state, "UNAVAIL insufficient replicas")},
             {"three-way mirror", rows("mirror-0", 3, 0, state, "ONLINE"),
              rows("mirror-0", 3, 3, state, "UNAVAIL insufficient replicas")},
             {"single disk", "  @DISK1@ ONLINE\n", fmt::format("  @DISK1@ {}\n", state)},
             {"special", special("special", "ONLINE", "ONLINE"),
              special("special", state, "UNAVAIL insufficient replicas")},
             {"dedup", special("dedup", "ONLINE", "ONLINE"),
              special("dedup", state, "UNAVAIL insufficient replicas")}}) {
      SCOPED_TRACE(fmt::format("{} {}", layout.name, state));
      PoolPlay play(9, 2);
      play.look(status_text(layout.well + kOneSpare));
      play.machine.pass(600);
      play.look(status_text(layout.lost + kOneSpare, "none requested", "SUSPENDED"));
      play.machine.pass(1);
      play.event("ereport.fs.zfs.io_failure");
      play.machine.pass(3600);
      EXPECT_EQ(play.machine.told(), Told{"Critical fault.fs.zfs.io_failure_wait tank"});
      EXPECT_TRUE(play.ran.empty()) << play.ran.front();
      EXPECT_TRUE(play.machine.lit.empty());
    }
}

// A spare of two pools that the other one uses: it is not stuck here, and not taken when a disk fails.
TEST(ZfsTexts, ASpareThatAnotherPoolUses) {
  const auto pool = [](const char* state, const char* spare) {
    return status_text(
        fmt::format("  raidz1-0 {}\n    @DISK1@ ONLINE\n    @DISK2@ {}\n"
                    "    @DISK3@ ONLINE\nspares\n  @DISK7@ {}\n",
                    state[0] == 'O' ? "ONLINE" : "DEGRADED", state, spare));
  };
  PoolPlay play;
  play.look(pool("ONLINE", "AVAIL"));
  play.machine.pass(600);
  play.look(pool("ONLINE", "INUSE currently in use"));
  play.machine.pass(7200);
  EXPECT_EQ(play.machine.told(), Told{});
  play.look(pool("FAULTED too many errors", "INUSE currently in use"));
  play.machine.pass(3600);
  ASSERT_EQ(play.machine.told().size(), 1u);
  EXPECT_TRUE(play.machine.told()[0].starts_with("Major")) << play.machine.told()[0];
  for (const std::string& one : play.ran) EXPECT_FALSE(mentions(one, Machine::wwn(7))) << one;
  play.look(pool("FAULTED too many errors", "AVAIL"));
  play.machine.pass(600);
  EXPECT_TRUE(std::any_of(play.machine.asked.begin(), play.machine.asked.end(),
                          [](const std::string& one) { return one.starts_with("spare_in"); }))
      << "it is free again";
}

}  // namespace
}  // namespace fmd::reports
