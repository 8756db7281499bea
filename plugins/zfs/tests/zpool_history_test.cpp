#include "plugins/zfs/zpool_history.h"

#include <stdlib.h>
#include <time.h>

#include "fmd/base/duration.h"
#include "plugins/zfs/tests/fixture.h"

namespace fmd::zfs {
namespace {

using test::Names;
using test::status_text;

// Not recorded: written from zpool(8)'s source, in the format of 2.1 to 2.3.
constexpr const char* kHistory =
    "History for 'tank':\n"
    "2026-11-20.09:00:00 zpool create tank raidz2 sdb sdc sdd [user 0 (root) on host:linux]\n"
    "2026-11-21.02:57:00 (12ms) zfs program tank snap.lua [user 0 (root) on host:linux]\n"
    "2026-11-21.02:57:05 zpool clear tank wwn-0xB [user 0 (root) on host:linux]\n"
    "2026-11-21.02:57:06 [txg:123] vdev attach tank [on host]\n"
    "\n";

class ZpoolHistory : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("TZ", "Europe/Berlin", 1);
    tzset();
    pool =
        names.pool(status_text("  raidz2-0 ONLINE\n    /dev/disk/by-id/wwn-0xA-part1 ONLINE\n"
                               "    /dev/disk/by-id/wwn-0xB-part1 ONLINE\n    /dev/sdd1 ONLINE\n"));
    event.event_class = "sysevent.fs.zfs.vdev_clear";
    event.time_ns = now_ns;
    event.members = {
        {"pool", std::string("tank")}, {"pool_guid", test::kPool}, {"vdev_guid", guid("wwn-0xB")}};
  }
  void TearDown() override {
    unsetenv("TZ");
    tzset();
  }
  uint64_t guid(const std::string& disk) {
    return names.guid("/dev/disk/by-id/" + disk + "-part1");
  }
  bool caused(const std::string& command, int64_t after_s = 0) {
    return concerns({history_time(now_ns + after_s * kSecondNs), command},
                    who_caused(event, &pool));
  }
  Names names;
  Pool pool;
  ZpoolEvent event;
  const int64_t now_ns = 1795226225 * kSecondNs + 700 * kMsNs;  // that is 2026-11-21.02:57:05
};

TEST_F(ZpoolHistory, Lines) {
  std::vector<HistoryRecord> records;
  std::istringstream lines(kHistory);
  for (std::string line; std::getline(lines, line);)
    if (auto record = parse_history_line(line)) records.push_back(*record);
  ASSERT_EQ(records.size(), 4U);
  EXPECT_EQ(records[2], (HistoryRecord{"2026-11-21.02:57:05", "zpool clear tank wwn-0xB"}));
  std::vector<std::string> about;
  for (const HistoryRecord& record : records)
    if (concerns(record, who_caused(event, &pool))) about.push_back(record.command);
  EXPECT_EQ(about, std::vector<std::string>{"zpool clear tank wwn-0xB"});
  for (const char* line :
       {"", "History for 'tank':", "2026-11-21.02:57:05", "2026-11-21 02:57:05 zpool"})
    EXPECT_FALSE(parse_history_line(line)) << line;
  EXPECT_EQ(parse_history_line("2026-11-21.02:57:05 zpool clear [user x")->command,
            "zpool clear [user x")
      << "cut short";
}

// `zpool clear tank` reaches a disk that is out, and one that is being replaced.
TEST_F(ZpoolHistory, AClearThatPutsNothingBackEndsNoFault) {
  const auto seen = [this](const std::string& state) {
    ZpoolEvent with_state = event;
    with_state.members.emplace_back("vdev_state", state);
    return with_state;
  };
  for (const char* works : {"", "ONLINE", "DEGRADED"}) {
    EXPECT_TRUE(ends_faults(seen(works), &pool)) << works;
    EXPECT_TRUE(ends_faults(seen(works), nullptr)) << works;
  }
  for (const char* dead : {"REMOVED", "UNAVAIL", "FAULTED", "OFFLINE", "CANT_OPEN"})
    EXPECT_FALSE(ends_faults(seen(dead), &pool)) << dead;
  pool = names.pool(status_text(
      "  raidz2-0 DEGRADED\n    /dev/disk/by-id/wwn-0xA-part1 ONLINE\n    replacing-1 DEGRADED\n"
      "      /dev/disk/by-id/wwn-0xB-part1 ONLINE\n      /dev/disk/by-id/wwn-0xC-part1 ONLINE\n"
      "    /dev/sdd1 ONLINE\n"));
  EXPECT_FALSE(ends_faults(seen("ONLINE"), &pool)) << "the old disk";
  event.members.back().second = guid("wwn-0xC");  // vdev_guid
  EXPECT_TRUE(ends_faults(seen("ONLINE"), &pool)) << "the new disk";
}

TEST_F(ZpoolHistory, WhomACommandIsAbout) {
  const std::string by_guid = std::to_string(guid("wwn-0xB"));
  for (const std::string& yes :
       {std::string("zpool clear tank"), std::string("zpool clear -F tank"),
        std::string("zpool clear tank -F"), std::string("zpool reopen tank"),
        std::string("zpool clear tank raidz2-0"), "zpool clear tank " + by_guid,
        std::string("zpool clear tank /dev/disk/by-id/wwn-0xB"),
        std::string("zpool online tank wwn-0xA wwn-0xB"),
        std::string("zpool online -e tank wwn-0xB-part1"),
        std::string("zpool online tank /dev/disk/by-id/wwn-0xB-part1")})
    EXPECT_TRUE(caused(yes)) << yes;
  for (const char* no :
       {"zpool clear tank wwn-0xA", "zpool clear tank2", "zpool clear other wwn-0xB",
        "zpool online tank", "zpool offline tank wwn-0xB", "zpool status tank",
        "zpool clear tank wwn-0xBB", "zfs clear tank wwn-0xB", "zpool clear", "zpool scrub tank"})
    EXPECT_FALSE(caused(no)) << no;
  event.members[2] = {"vdev_guid", names.guid("/dev/sdd1")};
  for (const char* yes :
       {"zpool clear tank sdd", "zpool clear tank /dev/sdd", "zpool clear tank sdd1"})
    EXPECT_TRUE(caused(yes)) << yes;
}

TEST_F(ZpoolHistory, ThePoolsNameMayHoldBlanksAndTheVdevBeUnknown) {
  event.members = {{"pool", std::string("my tank")},
                   {"vdev_guid", uint64_t{5}},
                   {"vdev_path", std::string("/dev/sdx1")}};
  const auto at = [&](const char* command) {
    return concerns({history_time(now_ns), command}, who_caused(event, nullptr));
  };
  EXPECT_TRUE(at("zpool clear my tank sdx"));
  EXPECT_TRUE(at("zpool clear my tank"));
  EXPECT_TRUE(at("zpool online my tank 5"));
  EXPECT_FALSE(at("zpool clear my sdx"));
}

TEST_F(ZpoolHistory, OnlyAtThatTime) {
  for (const auto& [after_s, is] : std::initializer_list<std::pair<int, bool>>{{-60, false},
                                                                               {-4, false},
                                                                               {-2, true},
                                                                               {0, true},
                                                                               {8, true},
                                                                               {14, true},
                                                                               {17, false},
                                                                               {3600, false}})
    EXPECT_EQ(caused("zpool clear tank", after_s), is) << after_s;
}

TEST_F(ZpoolHistory, FmdsOwnCommandsAreNobodyElses) {
  const HistoryRecord record{history_time(now_ns), "zpool clear tank 5"};
  const OwnCommand own{"zpool clear tank 5", now_ns - kSecondNs, now_ns};
  EXPECT_FALSE(any_foreign({}, {own}));
  EXPECT_TRUE(any_foreign({record}, {}));
  EXPECT_FALSE(any_foreign({record}, {own}));
  EXPECT_TRUE(any_foreign({record, record}, {own})) << "one of the two is somebody else's";
  EXPECT_TRUE(any_foreign({{record.time, "zpool clear tank sdb"}}, {own}));
  EXPECT_TRUE(
      any_foreign({record}, {{own.text, now_ns - 90 * kSecondNs, now_ns - 60 * kSecondNs}}));
  const OwnCommand open{own.text, now_ns - 90 * kSecondNs, 0};
  EXPECT_FALSE(any_foreign({record}, {open})) << "its zpool may have hung until now";
}

TEST_F(ZpoolHistory, WhoElse) {
  const auto question =
      who_else(pool, guid("wwn-0xA"), {"offline"}, now_ns - 100 * kSecondNs, now_ns);
  EXPECT_EQ(question.ask, "tank");
  EXPECT_TRUE(
      concerns({history_time(now_ns - 50 * kSecondNs), "zpool offline -t tank wwn-0xA"}, question));
  EXPECT_FALSE(
      concerns({history_time(now_ns - 500 * kSecondNs), "zpool offline tank wwn-0xA"}, question));
  EXPECT_FALSE(concerns({history_time(now_ns), "zpool offline tank wwn-0xB"}, question));
  EXPECT_FALSE(concerns({history_time(now_ns), "zpool clear tank"}, question));
}

// Only programs that the question includes count, and a clear cancels earlier commands.
TEST(PoolHistoryQuestion, WhoMadeItSo) {
  Names names;
  const Pool pool = names.pool(
      test::status_text("  mirror-0 ONLINE\n    /dev/sda1 FAULTED\n    /dev/sdb1 ONLINE\n"));
  const uint64_t guid = pool.vdevs[2].guid;
  const int64_t now_ns = int64_t{1795327031} * 1000000000;
  const auto question = who_made_it_so(pool, guid, 0, now_ns);
  const auto record = [&](const std::string& command) {
    return HistoryRecord{history_time(now_ns), command};
  };
  const std::string number = std::to_string(guid);
  EXPECT_TRUE(concerns(record("fmd-zfs-vdev fault tank " + number), question));
  EXPECT_TRUE(concerns(record("zpool offline -f tank sda"), question));
  EXPECT_FALSE(concerns(record("zpool offline -f tank sdb"), question));
  EXPECT_FALSE(concerns(record("fmd-zfs-vdev fault dozer " + number), question));
  EXPECT_FALSE(concerns(record("zfs fault tank " + number), question));
  EXPECT_FALSE(concerns(record("fmd-zfs-vdev fault tank " + number),
                        who_else(pool, guid, {"offline"}, 0, now_ns)));
  EXPECT_TRUE(concerns(record("zpool clear tank"), question));
  EXPECT_TRUE(undoes(record("zpool clear tank")));
  EXPECT_FALSE(undoes(record("zpool offline tank sda")));
}

}  // namespace
}  // namespace fmd::zfs
