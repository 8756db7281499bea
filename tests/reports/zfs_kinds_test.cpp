// Variants of the reports about ZFS pools, with other layouts, names, counts and orders of events.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tests/reports/pool_play.h"

namespace fmd::reports {
namespace {

using Told = std::vector<std::string>;
using zfs::test::status_text;

const std::string kSpares = "spares\n  @DISK7@ AVAIL\n";
const std::string kMirrors =
    "  mirror-0 ONLINE\n    @DISK1@ ONLINE\n    @DISK2@ ONLINE\n"
    "  mirror-1 {0}\n    @DISK3@ {1}\n    @DISK4@ {2}\n" +
    kSpares;

std::string mirrors(const char* state, const char* third, const char* fourth,
                    const std::string& pool = "ONLINE") {
  return status_text(fmt::format(fmt::runtime(kMirrors), state, third, fourth), "none requested",
                     pool);
}

// A raidz2 of six; the disks in `out` are FAULTED.
std::string raidz(const std::string& pool, const std::string& group, std::set<int> out,
                  const std::string& kind = "raidz2") {
  std::string rows = fmt::format("  {}-0 {}\n", kind, group);
  for (int n = 1; n <= 6; ++n)
    rows +=
        fmt::format("    @DISK{}@ {}\n", n, out.contains(n) ? "FAULTED too many errors" : "ONLINE");
  return status_text(rows + kSpares, "none requested", pool);
}

std::string io(int disk, int times = 12) {
  return fmt::format("{}x ereport.fs.zfs.io vdev=@DISK{}@ zio_err=0x5", times, disk);
}

bool spares_in(const PoolPlay& play) {
  const auto& asked = play.machine.asked;
  const bool is_asked = std::any_of(asked.begin(), asked.end(), [](const std::string& one) {
    return one.starts_with("spare_in");
  });
  return is_asked || std::any_of(play.ran.begin(), play.ran.end(), [](const std::string& one) {
           return one.starts_with("zpool replace");
         });
}

bool says(const PoolPlay& play, std::string_view fault, const std::string& part) {
  return play.machine.words(fault).find(part) != std::string::npos;
}

constexpr const char* kWait = "fault.fs.zfs.io_failure_wait";
const Told kOnlyThePool{"Critical fault.fs.zfs.io_failure_wait tank"};

// Checks that fmd does act here. Without this test, "nothing was run" would prove nothing.
TEST(ZfsKinds, OneDiskThatFailsIsReplacedByTheSpare) {
  PoolPlay play(7, 2);
  play.look(raidz("ONLINE", "ONLINE", {}));
  play.event(io(3));
  play.machine.pass(120);
  EXPECT_EQ(play.machine.told(), Told{"Major fault.fs.zfs.vdev.io SLOT 03"});
  EXPECT_TRUE(says(play, "fault.fs.zfs.vdev.io", "Replace the disk in SLOT 03"));
  EXPECT_EQ(play.machine.lit.size(), 1u);
  EXPECT_FALSE(play.ran.empty());
}

// --- The pool loses all copies at once

TEST(ZfsKinds, InWhateverOrderThePoolsLossIsSeen) {
  const std::string lost = mirrors("UNAVAIL", "UNAVAIL", "REMOVED", "SUSPENDED");
  const std::vector<std::vector<std::string>> orders{
      {"look"},
      {"pool", "look", "third", "fourth"},
      {"third", "look", "fourth", "pool"},
      {"third", "fourth", "wait", "pool", "look"},
      {"look", "wait", "third", "fourth", "wait", "pool"}};
  for (size_t i = 0; i < orders.size(); ++i) {
    SCOPED_TRACE(i);
    PoolPlay play(8, 2);
    play.look(mirrors("ONLINE", "ONLINE", "ONLINE"));
    play.machine.pass(60);
    for (const std::string& one : orders[i]) {
      if (one == "look") play.look(lost);
      if (one == "pool") play.event("ereport.fs.zfs.io_failure");
      if (one == "third") play.event("ereport.fs.zfs.probe_failure vdev=@DISK3@ prev_state=0x0");
      if (one == "fourth") play.event(io(4));
      play.machine.pass(one == "wait" ? 5 : 1);
    }
    play.machine.pass(3600);
    EXPECT_EQ(play.machine.told(), kOnlyThePool);
    EXPECT_TRUE(play.ran.empty()) << play.ran.front();
    EXPECT_TRUE(play.machine.lit.empty());
    play.look(mirrors("ONLINE", "ONLINE", "ONLINE"));
    play.machine.pass(3600);
    EXPECT_EQ(play.machine.told(), Told{}) << "all is back";
  }
}

TEST(ZfsKinds, FailmodeContinue) {
  PoolPlay play(7, 3);
  play.failmode = "continue";
  play.look(raidz("ONLINE", "ONLINE", {}, "raidz1"));
  play.machine.pass(60);
  for (const int disk : {2, 5}) play.event(io(disk));
  play.event("ereport.fs.zfs.io_failure");
  play.event("3x ereport.fs.zfs.data zio_err=0x5");
  play.look(raidz("SUSPENDED", "UNAVAIL", {2, 5}, "raidz1"));
  play.machine.pass(3600);
  EXPECT_EQ(play.machine.told(), Told{"Critical fault.fs.zfs.io_failure_continue tank"});
  EXPECT_FALSE(says(play, "fault.fs.zfs.io_failure_continue", "Replace the disk"));
  EXPECT_TRUE(play.ran.empty()) << play.ran.front();
}

TEST(ZfsKinds, APoolThatWasLostBeforeFmdRan) {
  for (const char* state : {"UNAVAIL", "FAULTED"}) {
    PoolPlay play;
    play.look(raidz(state, "UNAVAIL", {1, 3, 4}));
    play.machine.pass(3600);
    EXPECT_EQ(play.machine.told(), Told{"Critical fault.fs.zfs.pool tank"});
    EXPECT_TRUE(says(play, "fault.fs.zfs.pool", "replace none"));
    EXPECT_TRUE(play.ran.empty()) << play.ran.front();
  }
}

// Its case was announced while the pool had copies. The advice changes with the pool.
TEST(ZfsKinds, AnOlderCaseDoesNotAskForAnotherDiskWhileThePoolIsSuspended) {
  constexpr const char* kIo = "fault.fs.zfs.vdev.io";
  PoolPlay play(7, 2);
  play.look(raidz("ONLINE", "ONLINE", {}));
  play.event(io(3));
  play.machine.pass(120);
  play.look(raidz("DEGRADED", "DEGRADED", {3}));
  play.machine.pass(24 * 3600);
  ASSERT_TRUE(says(play, kIo, "Replace the disk in SLOT 03"));
  const size_t before = play.ran.size();
  for (const int disk : {1, 2, 4}) play.event(io(disk));
  play.event("ereport.fs.zfs.io_failure");
  play.look(raidz("SUSPENDED", "UNAVAIL", {1, 2, 3, 4}));
  play.machine.pass(3600);
  EXPECT_EQ(play.machine.told(), (Told{"Critical fault.fs.zfs.io_failure_wait tank",
                                       "Major fault.fs.zfs.vdev.io SLOT 03"}));
  const Say say = play.machine.say(kIo);
  EXPECT_EQ(say.do_now,
            "Bring the disk in SLOT 03 (serial ZA100003) back: check its cable, its power and its "
            "enclosure.");
  EXPECT_EQ(say.safe_to_pull.answer, PullSafety::Answer::no);
  for (const std::string& step : say.steps)
    EXPECT_EQ(step.find("eplace"), std::string::npos) << step;
  for (const std::string& next : say.next) EXPECT_EQ(next.find("blank"), std::string::npos) << next;
  EXPECT_EQ(play.ran.size(), before) << play.ran.back();
  play.look(raidz("DEGRADED", "DEGRADED", {3}));
  play.machine.pass(3600);
  EXPECT_EQ(play.machine.told(), Told{"Major fault.fs.zfs.vdev.io SLOT 03"});
  EXPECT_TRUE(says(play, kIo, "Replace the disk in SLOT 03"));
}

TEST(ZfsKinds, DataIsCalledLostOnlyWhenTheDisksAreBack) {
  const auto with_errors = [](std::string text) {
    const std::string known = "No known data errors";
    return text.replace(text.find(known), known.size(), "12 data errors, use '-v' for a list");
  };
  PoolPlay play;
  play.look(mirrors("ONLINE", "ONLINE", "ONLINE"));
  play.machine.pass(60);
  play.look(with_errors(mirrors("UNAVAIL", "UNAVAIL", "UNAVAIL", "SUSPENDED")));
  play.event("ereport.fs.zfs.io_failure");
  play.event("4x ereport.fs.zfs.data zio_err=0x5");
  play.machine.pass(3600);
  EXPECT_EQ(play.machine.told(), kOnlyThePool);
  play.look(with_errors(mirrors("ONLINE", "ONLINE", "ONLINE")));
  play.machine.pass(3600);
  EXPECT_EQ(play.machine.told(), Told{"Critical fault.fs.zfs.data tank"});
}

// The text after `state:` differs between versions.
TEST(ZfsKinds, SuspendedByTheLineOfErrorsAlone) {
  for (const char* state : {"ONLINE", "DEGRADED", "UNAVAIL"}) {
    std::string text = mirrors("UNAVAIL", "UNAVAIL", "UNAVAIL", state);
    const std::string known = "No known data errors";
    text.replace(text.find(known), known.size(),
                 "List of errors unavailable: pool I/O is currently suspended");
    PoolPlay play;
    play.look(text);
    play.machine.pass(3600);
    EXPECT_EQ(play.machine.told(), kOnlyThePool) << state;
    EXPECT_TRUE(play.ran.empty());
  }
}

// --- Findings that an open case explains

TEST(ZfsKinds, WhatZedMarksIsExplainedByTheCommonCause) {
  const std::string marked = status_text(
      "  mirror-0 DEGRADED\n    @DISK1@ DEGRADED too many errors\n    @DISK2@ DEGRADED too many "
      "errors\n"
      "  mirror-1 DEGRADED\n    @DISK3@ FAULTED too many errors\n    @DISK4@ DEGRADED too many "
      "errors\n"
      "  mirror-2 DEGRADED\n    @DISK5@ DEGRADED too many errors\n    @DISK6@ DEGRADED too many "
      "errors\n" +
          kSpares,
      "none requested", "DEGRADED");
  for (const bool states_first : {false, true}) {
    SCOPED_TRACE(states_first);
    PoolPlay play(7, 2);
    play.look(
        status_text("  mirror-0 ONLINE\n    @DISK1@ ONLINE\n    @DISK2@ ONLINE\n"
                    "  mirror-1 ONLINE\n    @DISK3@ ONLINE\n    @DISK4@ ONLINE\n"
                    "  mirror-2 ONLINE\n    @DISK5@ ONLINE\n    @DISK6@ ONLINE\n" +
                    kSpares));
    play.machine.pass(60);
    if (states_first) play.look(marked);
    for (int round = 0; round < 12; ++round) {
      for (int disk = 1; disk <= 6; ++disk)
        play.event(fmt::format("ereport.fs.zfs.checksum vdev=@DISK{}@ zio_err=0x34", disk));
      play.machine.pass(2);
    }
    if (!states_first) play.look(marked);
    play.machine.pass(3600);
    const Told told = play.machine.told();
    ASSERT_EQ(told.size(), 1u) << told.back();
    EXPECT_TRUE(told[0].starts_with("Critical fault.machine.spoils-data")) << told[0];
    EXPECT_TRUE(play.ran.empty()) << play.ran.front();
    EXPECT_TRUE(play.machine.lit.empty());
  }
}

// ZED acted while fmd was not running, or the events were lost.
TEST(ZfsKinds, DisksThatAreFoundDegradedTogetherAreOneQuestion) {
  const auto pool = [](const char* state, const char* scan) {
    std::string rows = fmt::format("  raidz2-0 {}\n", state);
    for (int n = 1; n <= 6; ++n) rows += fmt::format("    @DISK{}@ {}\n", n, state);
    return status_text(rows + kSpares, scan, state);
  };
  for (const int controllers : {1, 2})
    for (const char* scan :
         {"none requested", "resilver in progress since Sat Nov 28 02:57:05 2026"})
      for (const bool seen_well : {false, true}) {
        SCOPED_TRACE(fmt::format("{} {} {}", controllers, scan, seen_well));
        PoolPlay play(8, controllers);
        if (seen_well) {
          play.look(pool("ONLINE", "none requested"));
          play.machine.pass(60);
        }
        play.look(pool("DEGRADED", scan));
        play.machine.pass(3600);
        const Told told = play.machine.told();
        ASSERT_EQ(told.size(), 1u) << told.back();
        EXPECT_TRUE(told[0].starts_with("Critical ")) << told[0];
        EXPECT_TRUE(play.machine.lit.empty());
        EXPECT_TRUE(play.machine.asked.empty()) << play.machine.asked.front();
        play.look(pool("ONLINE", "none requested"));
        play.machine.pass(3600);
        EXPECT_EQ(play.machine.told(), Told{}) << "they were cleared";
      }
}

// Replacing one would remove data that the other lacks.
TEST(ZfsKinds, BothHalvesOfAMirrorFoundDegradedAreOneQuestion) {
  constexpr const char* kBad = "DEGRADED too many errors";
  for (const int pause : {0, 60, 3600}) {
    SCOPED_TRACE(pause);
    PoolPlay play(8, 2);
    play.look(mirrors("DEGRADED", "ONLINE", kBad, "DEGRADED"));
    play.machine.pass(pause);
    play.look(mirrors("DEGRADED", kBad, kBad, "DEGRADED"));
    play.machine.pass(3600);
    EXPECT_EQ(play.machine.told()[0], "Critical fault.fs.zfs.group.degraded mirror-1");
    EXPECT_EQ(play.machine.told().size(), pause < 3600 ? 1u : 2u);
    EXPECT_EQ(spares_in(play), pause == 3600) << "for the one that was alone";
    EXPECT_TRUE(says(play, "fault.fs.zfs.group.degraded", "pull none of them"));
    if (pause == 3600) {
      EXPECT_TRUE(says(play, "fault.fs.zfs.vdev.degraded", "Do not pull the disk in SLOT 04"));
    }
  }
}

TEST(ZfsKinds, OneDiskThatIsFoundDegradedIsReplacedByTheSpare) {
  PoolPlay play(8, 2);
  play.look(
      status_text("  raidz2-0 DEGRADED\n    @DISK1@ DEGRADED too many errors\n    @DISK2@ "
                  "ONLINE\n    @DISK3@ ONLINE\n    @DISK4@ ONLINE\n" +
                      kSpares,
                  "none requested", "DEGRADED"));
  play.machine.pass(3600);
  EXPECT_EQ(play.machine.told(), Told{"Major fault.fs.zfs.vdev.degraded SLOT 01"});
  EXPECT_EQ(play.machine.lit.size(), 1u);
  EXPECT_TRUE(spares_in(play));
}

// --- While another disk of the group resilvers

TEST(ZfsKinds, NoSpareGoesInWhileAPairResilversAndNoRedundancyIsLeft) {
  const std::string errors[] = {io(3), "12x ereport.fs.zfs.checksum vdev=@DISK3@ zio_err=0x34", ""};
  const std::string replacing =
      "    replacing-0 DEGRADED\n      @DISK1@ OFFLINE\n      @DISK6@ ONLINE (resilvering)\n";
  const std::string spare =
      "    spare-0 DEGRADED\n      @DISK1@ OFFLINE\n      @DISK6@ ONLINE (resilvering)\n";
  for (const auto& [pair, spares] :
       {std::pair(replacing, kSpares),
        {spare, "spares\n  @DISK6@ INUSE currently in use\n  @DISK7@ AVAIL\n"}})
    for (const std::string& error : errors)
      for (const char* group : {"raidz1", "mirror"}) {
        SCOPED_TRACE(group + pair + error);
        PoolPlay play(8, 2);
        play.look(status_text(
            fmt::format("  {}-0 DEGRADED\n{}    @DISK3@ {}\n{}", group, pair,
                        error.empty() ? "DEGRADED too many errors" : "ONLINE",
                        std::string_view(group) == "mirror" ? "" : "    @DISK2@ ONLINE\n") +
                spares,
            "resilver in progress since Sat Nov 28 02:57:05 2026", "DEGRADED"));
        play.machine.pass(60);
        if (!error.empty()) play.event(error);
        play.machine.pass(3600);
        EXPECT_EQ(play.machine.told().size(), 1u) << "it is told all the same";
        EXPECT_FALSE(spares_in(play));
      }
}

// --- Spares that stay

TEST(ZfsKinds, AWholeDiskThatStaysAsSpareUntilItIsFree) {
  const auto pair = [](const char* second, const std::string& scan) {
    return status_text(
        std::string("  raidz1-0 ONLINE\n    @DISK1@ ONLINE\n    spare-1 ONLINE\n      @DISK2@ ") +
            second +
            "\n      @DISK7@ ONLINE\n    @DISK3@ ONLINE\nspares\n  @DISK7@ INUSE currently in "
            "use\n",
        scan);
  };
  PoolPlay play;
  play.look(pair("ONLINE", "resilver in progress since Sat Nov 28 02:57:05 2026"));
  play.machine.pass(3600);
  EXPECT_EQ(play.machine.told(), Told{}) << "it resilvers";
  play.look(pair("ONLINE", "resilvered 1M in 00:00:02 with 0 errors on Sat Nov 28 04:57:07 2026"));
  play.machine.pass(300);
  EXPECT_EQ(play.machine.told(), Told{}) << "ZED may return it yet";
  play.machine.pass(3600);
  EXPECT_EQ(play.machine.told(), Told{"Minor fault.fs.zfs.spare.stuck wwn-0x5000c500a0000007"});
  EXPECT_TRUE(says(play, "fault.fs.zfs.spare.stuck", "zpool detach tank wwn-0x5000c500a0000007"));
  play.look(status_text(
      "  raidz1-0 ONLINE\n    @DISK1@ ONLINE\n    @DISK2@ ONLINE\n    @DISK3@ ONLINE\n" + kSpares));
  play.machine.pass(60);
  EXPECT_EQ(play.machine.told(), Told{}) << "it is free";
}

TEST(ZfsKinds, TheDiskBesideWhichSparesStayMayBeNestedEitherWay) {
  for (const char* rows : {"  raidz1-0 DEGRADED\n    @DISK1@ ONLINE\n    spare-1 DEGRADED\n      "
                           "replacing-0 DEGRADED\n"
                           "        @DISK2@/old UNAVAIL\n        @DISK2@ ONLINE\n      @DISK7@ "
                           "ONLINE\n    @DISK3@ ONLINE\n"
                           "spares\n  @DISK7@ INUSE currently in use\n",
                           "  draid1:2d:4c:2s-0 DEGRADED\n    @DISK1@ ONLINE\n    spare-1 "
                           "DEGRADED\n      spare-0 DEGRADED\n"
                           "        @DISK2@ ONLINE\n        draid1-0-0 ONLINE\n      @DISK7@ "
                           "ONLINE\n    @DISK3@ ONLINE\n"
                           "    @DISK4@ ONLINE\nspares\n  draid1-0-0 INUSE currently in use\n  "
                           "@DISK7@ INUSE currently in use\n"}) {
    PoolPlay play;
    play.look(status_text(
        rows, "resilvered 1M in 00:00:02 with 0 errors on Fri Nov 20 02:57:07 2026", "DEGRADED"));
    play.machine.pass(3600);
    const Told told = play.machine.told();
    ASSERT_FALSE(told.empty()) << rows;
    for (const std::string& one : told)
      EXPECT_TRUE(one.starts_with("Minor fault.fs.zfs.spare.stuck")) << one;
    EXPECT_NE(std::find(told.begin(), told.end(),
                        "Minor fault.fs.zfs.spare.stuck wwn-0x5000c500a0000007"),
              told.end());
  }
}

// --- The vdev's role and name

std::string with_others(const char* cache, const char* log, const char* special) {
  return status_text(fmt::format("  mirror-0 ONLINE\n    @DISK1@ ONLINE\n    @DISK2@ ONLINE\n"
                                 "special\n  mirror-1 ONLINE\n    @DISK3@ ONLINE\n    @DISK4@ {}\n"
                                 "logs\n  mirror-2 ONLINE\n    @DISK5@ ONLINE\n    @DISK6@ {}\n"
                                 "cache\n  @DISK8@ {}\n",
                                 special, log, cache) +
                     kSpares);
}

TEST(ZfsKinds, ACacheDeviceIsMinorHoweverItFails) {
  const std::vector<std::string> events{
      io(8), "ereport.fs.zfs.probe_failure vdev=@DISK8@ prev_state=0x0",
      "ereport.fs.zfs.vdev.open_failed vdev=@DISK8@ prev_state=0x0"};
  for (const std::string& event : events) {
    PoolPlay play(8);
    play.look(with_others("ONLINE", "ONLINE", "ONLINE"));
    play.event(event);
    play.machine.pass(1800);
    EXPECT_EQ(play.machine.told(), Told{"Minor fault.fs.zfs.cache SLOT 08"}) << event;
    EXPECT_TRUE(play.machine.asked.empty()) << play.machine.asked.front();
    EXPECT_TRUE(play.machine.lit.empty());
  }
  for (const char* state : {"UNAVAIL", "FAULTED", "REMOVED"}) {
    PoolPlay play(8);
    play.look(with_others(state, "ONLINE", "ONLINE"));
    play.machine.pass(3600);
    EXPECT_EQ(play.machine.told(), Told{"Minor fault.fs.zfs.cache SLOT 08"}) << state;
    EXPECT_TRUE(play.machine.asked.empty()) << play.machine.asked.front();
  }
}

TEST(ZfsKinds, ACacheDeviceThatAPersonTookOutIsMinor) {
  PoolPlay play(8);
  play.look(with_others("FAULTED external device fault", "ONLINE", "ONLINE"));
  play.machine.pass(1800);
  EXPECT_EQ(play.machine.told(), Told{"Minor fault.fs.zfs.cache SLOT 08"});
  EXPECT_TRUE(play.machine.lit.empty());
  EXPECT_TRUE(play.machine.asked.empty());
}

TEST(ZfsKinds, WhatACacheDeviceReturnsWrongIsMinor) {
  PoolPlay play(8);
  play.look(with_others("ONLINE", "ONLINE", "ONLINE"));
  play.event("12x ereport.fs.zfs.checksum vdev=@DISK8@ zio_err=0x34");
  play.machine.pass(1800);
  EXPECT_EQ(play.machine.told(), Told{"Minor fault.fs.zfs.cache SLOT 08"});
  EXPECT_TRUE(play.machine.lit.empty());
  EXPECT_TRUE(play.machine.asked.empty());
}

// Whatever the finding, the text says that it is the log, and does not mention a spare.
TEST(ZfsKinds, ALogDeviceIsNamedAsSuch) {
  const std::string wrong = "12x ereport.fs.zfs.checksum vdev=@DISK6@ zio_err=0x34";
  for (const auto& [state, event] :
       {std::pair<const char*, std::string>("DEGRADED too many errors", ""),
        {"FAULTED external device fault", ""},
        {"FAULTED too many errors", ""},
        {"ONLINE", wrong}}) {
    SCOPED_TRACE(state);
    PoolPlay play(8);
    play.look(with_others("ONLINE", state, "ONLINE"));
    if (!event.empty()) play.event(event);
    play.machine.pass(1800);
    EXPECT_EQ(play.machine.told(), Told{"Major fault.fs.zfs.log SLOT 06"});
    EXPECT_FALSE(says(play, "fault.fs.zfs.log", "hot spare is brought in"));
    EXPECT_FALSE(spares_in(play));
    EXPECT_TRUE(play.machine.lit.empty());
  }
}

TEST(ZfsKinds, ASpecialDeviceIsNamedAsSuchHoweverItFails) {
  const std::string wrong = "12x ereport.fs.zfs.checksum vdev=@DISK4@ zio_err=0x34";
  for (const auto& [state, event, fault] :
       {std::tuple<const char*, std::string, const char*>("ONLINE", io(4), "fault.fs.zfs.vdev.io"),
        {"ONLINE", wrong, "fault.fs.zfs.vdev.checksum"},
        {"DEGRADED too many errors", "", "fault.fs.zfs.vdev.degraded"},
        {"FAULTED external device fault", "", "fault.fs.zfs.vdev.forced"}}) {
    SCOPED_TRACE(fault);
    PoolPlay play(8);
    play.look(with_others("ONLINE", "ONLINE", state));
    if (!event.empty()) play.event(event);
    play.machine.pass(1800);
    EXPECT_EQ(play.machine.told(), Told{fmt::format("Major {} SLOT 04", fault)});
    EXPECT_TRUE(says(play, fault, "role: special")) << play.machine.words(fault);
  }
}

TEST(ZfsKinds, ALogDeviceNeverAsksForASpare) {
  for (const std::string& event :
       {io(6), std::string("ereport.fs.zfs.probe_failure vdev=@DISK6@ prev_state=0x0")}) {
    PoolPlay play(8);
    play.look(with_others("ONLINE", "ONLINE", "ONLINE"));
    play.event(event);
    play.machine.pass(1800);
    EXPECT_EQ(play.machine.told(), Told{"Major fault.fs.zfs.log SLOT 06"}) << event;
    for (const std::string& one : play.machine.asked)
      EXPECT_FALSE(one.starts_with("spare_in")) << one;
    EXPECT_FALSE(says(play, "fault.fs.zfs.log", "hot spare is brought in"));
  }
  for (const char* state : {"UNAVAIL", "REMOVED"}) {
    PoolPlay play(8);
    play.look(with_others("ONLINE", state, "ONLINE"));
    play.machine.pass(3600);
    EXPECT_EQ(play.machine.told(), Told{"Major fault.fs.zfs.log SLOT 06"}) << state;
    EXPECT_TRUE(play.machine.asked.empty()) << play.machine.asked.front();
  }
}

TEST(ZfsKinds, ASpecialDeviceIsNamedAsSuchAndGetsASpare) {
  PoolPlay play(8);
  play.look(with_others("ONLINE", "ONLINE", "UNAVAIL"));
  play.machine.pass(1800);
  EXPECT_EQ(play.machine.told(), Told{"Major fault.fs.zfs.device SLOT 04"});
  EXPECT_TRUE(says(play, "fault.fs.zfs.device", "role: special"));
  ASSERT_FALSE(play.machine.asked.empty());
  EXPECT_TRUE(play.machine.asked.front().starts_with("spare_in"));
}

}  // namespace
}  // namespace fmd::reports
