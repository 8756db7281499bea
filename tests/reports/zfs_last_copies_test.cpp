// One disk of a ZFS group is out of service and another one is bad. Neither actions nor advice may
// cost the last copy.
#include <fmt/format.h>

#include <set>

#include "fmd/base/json.h"
#include "tests/reports/pool_play.h"

namespace fmd::reports {
namespace {

using Told = std::vector<std::string>;
using zfs::test::status_text;

const std::string kTheSpare = "spares\n  @DISK7@ AVAIL\n";

bool tells(const PoolPlay& play, std::string_view fault, const std::string& part) {
  return mentions(play.machine.words(fault), part);
}

// The commands sent for that disk's vdev, except those of LEDs.
std::set<std::string> asked_of(const PoolPlay& play, int disk) {
  std::set<std::string> out;
  for (const zfs::Vdev& vdev : play.pool().vdevs) {
    if (vdev.path.find(Machine::wwn(disk)) == std::string::npos) continue;
    const std::string end = fmt::format("/vdev={}", vdev.guid);
    for (const std::string& one : play.machine.asked)
      if (one.ends_with(end)) out.insert(one.substr(0, one.find(' ')));
  }
  return out;
}

// `states`: of the first disks of the raidz or mirror.
std::string group_of(const char* kind, int disks, const std::vector<std::string>& states,
                     const std::string& spares = kTheSpare,
                     const std::string& scan = "none requested") {
  std::string rows = fmt::format("  {}-0 DEGRADED\n", kind);
  for (int n = 1; n <= disks; ++n) {
    const auto at = static_cast<size_t>(n) - 1;
    rows += at < states.size() ? fmt::format(fmt::runtime(states[at]), fmt::arg("n", n))
                               : fmt::format("    @DISK{}@ ONLINE\n", n);
  }
  return status_text(rows + spares, scan, "DEGRADED");
}

const std::string kOutRow = "    @DISK{n}@ FAULTED too many errors\n",
                  kBadRow = "    @DISK{n}@ DEGRADED too many errors\n",
                  kWellRow = "    @DISK{n}@ ONLINE\n";

// The spare replaces the disk that is out: filling it for the other one would leave no redundancy
// meanwhile.
TEST(ZfsLastCopies, OneDiskIsOutAndAnotherIsDegradedAndThereIsOneSpare) {
  for (const char* kind : {"raidz1", "mirror"})
    for (const bool together : {true, false}) {
      SCOPED_TRACE(fmt::format("{} {}", kind, together));
      const int disks = std::string_view(kind) == "mirror" ? 2 : 4;
      PoolPlay play(8, 2);
      play.look(group_of(kind, disks, {}));
      play.machine.pass(60);
      if (!together) {
        play.look(group_of(kind, disks, {kOutRow}));
        play.machine.pass(5);
      }
      play.look(group_of(kind, disks, {kOutRow, kBadRow}));
      play.machine.pass(3600);
      EXPECT_EQ(asked_of(play, 1), std::set<std::string>{"spare_in"});
      EXPECT_EQ(asked_of(play, 2), std::set<std::string>{}) << "the last copy";
      const auto told = play.machine.told();
      EXPECT_EQ(told, (Told{"Major fault.fs.zfs.device SLOT 01",
                            "Major fault.fs.zfs.vdev.degraded SLOT 02"}));
      for (const char* fault : {"fault.fs.zfs.vdev.degraded", "fault.fs.zfs.device"}) {
        const Say say = play.machine.say(fault);
        EXPECT_NE(say.safe_to_pull.answer, PullSafety::Answer::yes) << fault;
      }
      EXPECT_TRUE(tells(play, "fault.fs.zfs.vdev.degraded", "Do not pull the disk in SLOT 02"))
          << play.machine.words("fault.fs.zfs.vdev.degraded");
    }
}

// The other disk may be retired once the spare is full, not while it resilvers.
TEST(ZfsLastCopies, TheDegradedDiskWaitsUntilTheSpareIsFull) {
  const std::string pair =
      "    spare-0 DEGRADED\n      @DISK{n}@ FAULTED too many errors\n      @DISK7@ ONLINE{r}\n";
  const auto with = [&](const char* note, const std::string& spares, const std::string& scan) {
    std::string text = pair;
    text.replace(text.find("{r}"), 3, note);
    return group_of("raidz1", 4, {text, kBadRow}, spares, scan);
  };
  const std::string two = "spares\n  @DISK7@ INUSE currently in use\n  @DISK8@ AVAIL\n";
  PoolPlay play(8, 2);
  play.look(group_of("raidz1", 4, {}));
  play.machine.pass(60);
  play.look(with(" (resilvering)", two, "resilver in progress since Sat Nov 28 02:57:05 2026"));
  play.machine.pass(2 * 3600);
  EXPECT_EQ(asked_of(play, 2), std::set<std::string>{});
  EXPECT_NE(play.machine.say("fault.fs.zfs.vdev.degraded").safe_to_pull.answer,
            PullSafety::Answer::yes);
  play.look(with("", two, "resilvered 9G in 00:20:02 with 0 errors on Sat Nov 28 03:17:07 2026"));
  play.machine.pass(2 * 3600);
  EXPECT_EQ(asked_of(play, 2), std::set<std::string>{"spare_in"}) << "now with the other spare";
}

TEST(ZfsLastCopies, TwoDisksOfARaidz2AreOutAndAThirdIsDegraded) {
  PoolPlay play(8, 2);
  play.look(group_of("raidz2", 6, {}));
  play.machine.pass(60);
  play.look(group_of("raidz2", 6, {kOutRow, kOutRow, kBadRow}));
  play.machine.pass(3600);
  EXPECT_EQ(asked_of(play, 3), std::set<std::string>{}) << "the last redundancy";
  EXPECT_TRUE(asked_of(play, 1).contains("spare_in") || asked_of(play, 2).contains("spare_in"));
  EXPECT_EQ(play.machine.say("fault.fs.zfs.vdev.degraded").safe_to_pull.answer,
            PullSafety::Answer::no)
      << play.machine.words("fault.fs.zfs.vdev.degraded");
}

// A SMART verdict does not retire the last copy either.
TEST(ZfsLastCopies, OneHalfIsOutAndTheOtherHasPendingSectors) {
  PoolPlay play(8, 2);
  const auto smart = [&](int pending) {
    play.machine.take(
        "smart", {{Machine::disk(2),
                   {{"fmri", Machine::disk(2)},
                    {"type", "disk"},
                    {"properties",
                     {{"smart.state", "ok"}, {"smart.pending", pending}, {"smart.medium", "hdd"}}},
                    {"edges", nlohmann::json::array()},
                    {"present", true}}}});
    play.machine.pass(600);
  };
  play.look(group_of("mirror", 2, {}, ""));
  smart(0);
  play.look(group_of("mirror", 2, {kOutRow}, ""));
  smart(0);
  smart(24);
  play.machine.pass(3 * 3600);
  EXPECT_EQ(asked_of(play, 2), std::set<std::string>{}) << "the last copy";
  const Told told = play.machine.told();
  ASSERT_EQ(told.size(), 2u) << told.front();
  EXPECT_TRUE(told[1].ends_with("SLOT 02") || told[0].ends_with("SLOT 02"));
  const std::string mine = told[0].ends_with("SLOT 02") ? told[0] : told[1];
  const std::string fault = mine.substr(6, mine.find(' ', 6) - 6);
  const Say say = play.machine.say(fault);
  EXPECT_EQ(say.safe_to_pull.answer, PullSafety::Answer::no) << play.machine.words(fault);
  EXPECT_FALSE(mentions(say.headline + say.do_now, "eplace the disk in SLOT 02 now"))
      << play.machine.words(fault);
}

// Its bay is dark until the other half is back, also when only that one changes, and its case says why.
TEST(ZfsLastCopies, TheLightOfTheDegradedHalfFollowsTheOtherHalf) {
  for (const bool by_json : {false, true}) {
    PoolPlay play(8, 2);
    play.by_json = by_json;
    const auto is_lit = [&] {
      return std::any_of(play.machine.lit.begin(), play.machine.lit.end(),
                         [](const std::string& bay) { return bay.ends_with("bay=2"); });
    };
    const auto says = [&] {
      std::string all;
      for (const std::string& one : play.machine.say("fault.fs.zfs.vdev.degraded").next)
        all += one + "\n";
      return all;
    };
    const std::string why = "The fault LED of SLOT 02 is not lit: another disk of its group is out";
    play.look(group_of("mirror", 2, {}, ""));
    play.machine.pass(60);
    play.look(group_of("mirror", 2, {kWellRow, kBadRow}, ""));
    play.machine.pass(600);
    ASSERT_TRUE(is_lit()) << "it may be replaced";
    play.look(group_of("mirror", 2, {kOutRow, kBadRow}, ""));
    play.machine.pass(600);
    EXPECT_FALSE(is_lit()) << "it holds the only data";
    EXPECT_TRUE(mentions(says(), why)) << says();
    EXPECT_FALSE(mentions(says(), "put into SLOT 02")) << says();
    play.look(group_of("mirror", 2, {kWellRow, kBadRow}, ""));
    play.machine.pass(600);
    EXPECT_TRUE(is_lit());
    EXPECT_FALSE(mentions(says(), why)) << says();
    EXPECT_TRUE(mentions(says(), "put into SLOT 02")) << says();
  }
}

// All of its data is there, so nothing is to be restored from a backup.
TEST(ZfsLastCopies, APoolOfWhichOnlyTheLogCannotBeRead) {
  for (const bool by_json : {false, true})
    for (const char* group : {"ONLINE", "DEGRADED"}) {
      PoolPlay play(7, 2);
      play.by_json = by_json;
      std::string text =
          status_text(fmt::format("  mirror-0 {0}\n    @DISK1@ ONLINE\n    @DISK2@ ONLINE\n"
                                  "logs\n  16161616161616161 UNAVAIL was @DISK3@\n",
                                  group),
                      "none requested", "FAULTED");
      const size_t row = text.find("tank ", text.find("STATE"));
      text.insert(text.find('\n', row), "  bad intent log");
      text.replace(text.find("ONLINE", row), 6, "FAULTED");
      play.look(text);
      play.machine.pass(3600);
      EXPECT_EQ(play.machine.told(), Told{"Major fault.fs.zfs.log_replay tank"}) << text;
      const std::string words = play.machine.words("fault.fs.zfs.log_replay");
      EXPECT_EQ(words.find("backup"), words.npos) << words;
      EXPECT_NE(words.find("zpool clear tank"), words.npos) << words;
      EXPECT_TRUE(play.ran.empty()) << play.ran.front();
    }
}

// A disk is lost while another one of its group is still being filled. It may hold the only copy of some data, so it is to
// be brought back; a blank disk in its bay is not used.
TEST(ZfsLastCopies, ADiskIsLostWhileAnotherOneIsBeingFilled) {
  const std::string scan =
      "resilver in progress since Mon Nov 30 09:00:01 2026\n\t1.20T / 8.00T scanned, 800G / 8.00T "
      "issued at 300M/s\n\t190G resilvered, 9.76% done, 07:00:01 to go";
  const std::string replacing =
      "    replacing-1 DEGRADED\n      @DISK2@ FAULTED too many errors\n      @DISK5@ ONLINE "
      "(resilvering)\n";
  const std::string by_spare =
      "    spare-1 DEGRADED\n      @DISK2@ FAULTED too many errors\n      @DISK5@ ONLINE "
      "(resilvering)\n";
  const std::string spares = "spares\n  @DISK5@ INUSE currently in use\n";
  struct Row {
    std::string group, rest, spares;
    bool is_only_copy;
  };
  for (const bool by_json : {false, true})
    for (const char* lost : {"UNAVAIL cannot open", "REMOVED", "FAULTED too many errors"})
      for (const Row& row : std::initializer_list<Row>{
               {"mirror-0", "    @DISK1@ ONLINE (resilvering)\n", "", true},
               {"raidz1-0", "    @DISK1@ ONLINE\n" + replacing, "", true},
               {"raidz1-0", "    @DISK1@ ONLINE\n" + by_spare, spares, true},
               {"raidz2-0", "    @DISK1@ ONLINE\n    @DISK4@ ONLINE\n" + replacing, "", false},
               {"mirror-0", "    @DISK1@ ONLINE\n", "", false}}) {
        SCOPED_TRACE(row.group + " " + lost + " " + row.rest);
        PoolPlay play(8, 2);
        play.by_json = by_json;
        const auto look = [&](const std::string& state) {
          play.look(status_text("  " + row.group + " DEGRADED\n" + row.rest + "    @DISK3@ " +
                                    state + "\n" + row.spares,
                                row.is_only_copy ? scan : "none requested", "DEGRADED"));
          play.machine.pass(600);
        };
        look("ONLINE");
        look(lost);
        std::string fault;
        for (const std::string& one : play.machine.told())
          if (one.ends_with("SLOT 03")) fault = one.substr(6, one.find(' ', 6) - 6);
        ASSERT_FALSE(fault.empty());
        bool is_lit = false;
        for (const std::string& bay : play.machine.lit) is_lit = is_lit || bay.ends_with("bay=3");
        EXPECT_EQ(is_lit, !row.is_only_copy);
        if (!row.is_only_copy) continue;
        // Several cases may have that class.
        bool is_said = false;
        for (const std::string& one : play.machine.all_words(fault)) {
          if (!mentions(one, "SLOT 03:")) continue;
          is_said = true;
          EXPECT_TRUE(mentions(one, "Bring the disk in SLOT 03")) << one;
          EXPECT_TRUE(mentions(one, "Put no other disk in its place")) << one;
          EXPECT_FALSE(mentions(one, "Replace the disk in SLOT 03")) << one;
          EXPECT_FALSE(mentions(one, "put a blank disk")) << one;
        }
        EXPECT_TRUE(is_said);
        look("ONLINE");
        for (const std::string& one : play.machine.told()) EXPECT_FALSE(one.ends_with("SLOT 03"));
      }
}

}  // namespace
}  // namespace fmd::reports
