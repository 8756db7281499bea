// Redundancy: which vdevs may go out of service, and what remains.

#include "plugins/zfs/redundancy.h"
#include <fmt/format.h>

#include "fmd/base/json.h"
#include "plugins/zfs/event_convert.h"
#include "plugins/zfs/inventory.h"
#include "plugins/zfs/tests/fixture.h"

namespace fmd::zfs {
namespace {

using test::kPool;
using test::Names;
using test::status_text;

struct RefusalCase {
  const char* what;
  const char* rows;
  const char* leaf;
  const char* refusal;  // a part of it; "": it may go
};

class RetireRefusal : public ::testing::TestWithParam<RefusalCase> {};

TEST_P(RetireRefusal, IsAsTheDataNeeds) {
  const RefusalCase& c = GetParam();
  Names names;
  const Pool pool = names.pool(status_text(c.rows));
  const std::string refusal = retire_refusal(pool, names.guid(c.leaf));
  if (*c.refusal)
    EXPECT_NE(refusal.find(c.refusal), std::string::npos) << c.what << ": " << refusal;
  else
    EXPECT_EQ(refusal, "") << c.what;
}

struct FailuresCase {
  const char* rows;
  int left;  // after the failure of sda
};

TEST(FailuresLeft, CountsTheDiskItselfAsLost) {
  const FailuresCase cases[] = {
      {"  /dev/sda ONLINE\n  /dev/sdb ONLINE\n", 0},
      {"  mirror-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\n", 0},
      {"  mirror-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\n    /dev/sdc ONLINE\n", 1},
      {"  raidz2-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\n    /dev/sdc ONLINE\n"
       "    /dev/sdd ONLINE\n",
       1},
      {"  raidz2-0 DEGRADED\n    /dev/sda FAULTED\n    /dev/sdb ONLINE\n    /dev/sdc ONLINE\n"
       "    /dev/sdd ONLINE\n",
       1},
      {"  raidz2-0 DEGRADED\n    /dev/sda FAULTED\n    /dev/sdb OFFLINE\n    /dev/sdc ONLINE\n"
       "    /dev/sdd ONLINE\n",
       0},
      {"  raidz2-0 DEGRADED\n    spare-0 DEGRADED\n      /dev/sda FAULTED\n      /dev/sde ONLINE\n"
       "    /dev/sdb ONLINE\n    /dev/sdc ONLINE\n    /dev/sdd ONLINE\n",
       2},
  };
  for (const FailuresCase& c : cases) {
    Names names;
    const Pool pool = names.pool(status_text(c.rows));
    EXPECT_EQ(failures_left(pool, pool.index_of(names.guid("/dev/sda"))), c.left) << c.rows;
  }
}

const RefusalCase kRefusals[] = {
    {"stripe", "  /dev/sda ONLINE\n  /dev/sdb ONLINE\n", "/dev/sda",
     "last copy: pool 'tank' has no redundancy"},
    {"mirror", "  mirror-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\n", "/dev/sda", ""},
    {"mirror, other gone", "  mirror-0 DEGRADED\n    /dev/sda ONLINE\n    /dev/sdb OFFLINE\n",
     "/dev/sda", "mirror-0 of pool 'tank' already has 1 disk"},
    {"mirror, other degraded: its data is not to be trusted",
     "  mirror-0 DEGRADED\n    /dev/sda ONLINE\n    /dev/sdb DEGRADED too many errors\n",
     "/dev/sda", "last copy"},
    {"mirror, itself the bad one",
     "  mirror-0 DEGRADED\n    /dev/sda DEGRADED\n    /dev/sdb ONLINE\n", "/dev/sda", ""},
    {"mirror of 3 with 1 left",
     "  mirror-0 DEGRADED\n    /dev/sda ONLINE\n    /dev/sdb FAULTED\n    /dev/sdc REMOVED\n",
     "/dev/sda", "2 disks"},
    {"mirror, other resilvers",
     "  mirror-0 DEGRADED\n    /dev/sda ONLINE\n    /dev/sdb ONLINE (resilvering)\n", "/dev/sda",
     "last copy"},
    {"raidz1", "  raidz1-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\n    /dev/sdc ONLINE\n",
     "/dev/sda", ""},
    {"raidz1, one gone",
     "  raidz1-0 DEGRADED\n    /dev/sda ONLINE\n    /dev/sdb UNAVAIL\n    /dev/sdc ONLINE\n",
     "/dev/sda", "raidz1-0"},
    {"raidz2, one gone",
     "  raidz2-0 DEGRADED\n    /dev/sda ONLINE\n    /dev/sdb OFFLINE\n    /dev/sdc ONLINE\n    "
     "/dev/sdd ONLINE\n",
     "/dev/sda", ""},
    {"raidz2, two gone",
     "  raidz2-0 DEGRADED\n    /dev/sda ONLINE\n    /dev/sdb OFFLINE\n    /dev/sdc FAULTED\n    "
     "/dev/sdd ONLINE\n",
     "/dev/sda", "raidz2-0 of pool 'tank' already has 2 disks out of service"},
    {"raidz3, two gone",
     "  raidz3-0 DEGRADED\n    /dev/sda ONLINE\n    /dev/sdb OFFLINE\n    /dev/sdc FAULTED\n    "
     "/dev/sdd ONLINE\n",
     "/dev/sda", ""},
    {"draid1, one gone",
     "  draid1:2d:4c:1s-0 DEGRADED\n    /dev/sda ONLINE\n    /dev/sdb OFFLINE\n    /dev/sdc "
     "ONLINE\n    /dev/sdd ONLINE\n",
     "/dev/sda", "last copy"},
    {"draid2, one gone",
     "  draid2:2d:5c:1s-0 DEGRADED\n    /dev/sda ONLINE\n    /dev/sdb OFFLINE\n    /dev/sdc "
     "ONLINE\n    /dev/sdd ONLINE\n    /dev/sde ONLINE\n",
     "/dev/sda", ""},
    {"a full spare is a copy",
     "  raidz1-0 DEGRADED\n    /dev/sda ONLINE\n    spare-1 DEGRADED\n      /dev/sdb DEGRADED\n    "
     "  /dev/sdh ONLINE\n    /dev/sdc OFFLINE\nspares\n  /dev/sdh INUSE\n",
     "/dev/sdb", ""},
    {"a resilvering spare is none",
     "  raidz1-0 DEGRADED\n    /dev/sda ONLINE\n    spare-1 DEGRADED\n      /dev/sdb DEGRADED\n    "
     "  /dev/sdh ONLINE (resilvering)\n    /dev/sdc OFFLINE\nspares\n  /dev/sdh INUSE\n",
     "/dev/sdb", "last copy"},
    {"one waiting for its resilver is none",
     "  raidz1-0 DEGRADED\n    /dev/sda ONLINE\n    spare-1 DEGRADED\n      /dev/sdb DEGRADED\n    "
     "  /dev/sdh ONLINE (awaiting resilver)\n    /dev/sdc OFFLINE\nspares\n  /dev/sdh INUSE\n",
     "/dev/sdb", "last copy"},
    {"a spared slot is good for its siblings",
     "  raidz1-0 DEGRADED\n    /dev/sda ONLINE\n    spare-1 DEGRADED\n      /dev/sdb DEGRADED\n    "
     "  /dev/sdh ONLINE\n    /dev/sdc ONLINE\nspares\n  /dev/sdh INUSE\n",
     "/dev/sda", ""},
    {"...until the spare is full",
     "  raidz1-0 DEGRADED\n    /dev/sda ONLINE\n    spare-1 DEGRADED\n      /dev/sdb DEGRADED\n    "
     "  /dev/sdh ONLINE (resilvering)\n    /dev/sdc ONLINE\nspares\n  /dev/sdh INUSE\n",
     "/dev/sda", "last copy"},
    {"the spare is the good copy",
     "  raidz1-0 DEGRADED\n    /dev/sda OFFLINE\n    spare-1 DEGRADED\n      /dev/sdb DEGRADED\n   "
     "   /dev/sdh ONLINE\n    /dev/sdc ONLINE\nspares\n  /dev/sdh INUSE\n",
     "/dev/sdh", "last copy"},
    {"stripe with a pair",
     "  spare-0 DEGRADED\n    /dev/sda DEGRADED\n    /dev/sdh ONLINE\nspares\n  /dev/sdh INUSE\n",
     "/dev/sda", ""},
    {"stripe being replaced",
     "  replacing-0 DEGRADED\n    /dev/sda DEGRADED\n    /dev/sdh ONLINE (resilvering)\n",
     "/dev/sda", "no redundancy"},
    {"nested pairs",
     "  raidz1-0 DEGRADED\n    spare-0 DEGRADED\n      replacing-0 DEGRADED\n        /dev/sda "
     "REMOVED\n        /dev/sdb ONLINE (resilvering)\n      /dev/sdh ONLINE\n    /dev/sdc "
     "OFFLINE\nspares\n  /dev/sdh INUSE\n",
     "/dev/sdb", ""},
    {"another top-level vdev's losses do not count",
     "  raidz1-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\n  raidz1-1 DEGRADED\n    "
     "/dev/sdc ONLINE\n    /dev/sdd OFFLINE\n",
     "/dev/sda", ""},
    {"special has no redundancy",
     "  mirror-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\nspecial\n  /dev/sdc ONLINE\n",
     "/dev/sdc", "last copy"},
    {"a log may go",
     "  mirror-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\nlogs\n  /dev/sdc ONLINE\n",
     "/dev/sdc", ""},
    {"cache", "  /dev/sda ONLINE\ncache\n  /dev/sdc ONLINE\n", "/dev/sdc", "zpool remove"},
    {"a spare not in use",
     "  mirror-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\nspares\n  /dev/sdh AVAIL\n",
     "/dev/sdh", "zpool remove"},
    {"an inner vdev", "  mirror-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\n", "mirror-0",
     "only a disk"},
};
INSTANTIATE_TEST_SUITE_P(Table, RetireRefusal, ::testing::ValuesIn(kRefusals));

// The redundancy that remains, as shown to a person before a disk is taken out.
struct LossesCase {
  const char* what;
  const char* rows;
  const char* leaf;
  int left;  // -1: not shown
  const char* group;
};

class LossesLeft : public ::testing::TestWithParam<LossesCase> {};

TEST_P(LossesLeft, OfItsTopLevelVdevOnceItIsOut) {
  const LossesCase& c = GetParam();
  Names names;
  const Pool pool = names.pool(status_text(c.rows));
  const auto all = pool_resources(pool, {});
  const nlohmann::json leaf = all.at(vdev_fmri(kPool, names.guid(c.leaf)))["properties"];
  EXPECT_EQ(leaf.value("losses_left", -1), c.left) << c.what;
  EXPECT_EQ(leaf.value("losses_group", ""), c.group) << c.what;
}

const LossesCase kLosses[] = {
    {"raidz2", "  raidz2-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\n    /dev/sdc ONLINE\n",
     "/dev/sda", 1, "raidz2-0"},
    {"raidz2, one gone",
     "  raidz2-0 DEGRADED\n    /dev/sda ONLINE\n    /dev/sdb OFFLINE\n    /dev/sdc ONLINE\n",
     "/dev/sda", 0, "raidz2-0"},
    {"raidz2, itself the degraded one",
     "  raidz2-0 DEGRADED\n    /dev/sda DEGRADED\n    /dev/sdb ONLINE\n    /dev/sdc ONLINE\n",
     "/dev/sda", 1, "raidz2-0"},
    {"raidz3",
     "  raidz3-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\n    /dev/sdc ONLINE\n    "
     "/dev/sdd ONLINE\n",
     "/dev/sda", 2, "raidz3-0"},
    {"mirror of 3",
     "  mirror-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\n    /dev/sdc ONLINE\n",
     "/dev/sda", 1, "mirror-0"},
    {"mirror", "  mirror-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\n", "/dev/sda", 0,
     "mirror-0"},
    {"a full spare has taken over: the raidz loses nothing",
     "  raidz2-0 DEGRADED\n    /dev/sda ONLINE\n    spare-1 DEGRADED\n      /dev/sdb DEGRADED\n    "
     "  /dev/sdh ONLINE\n    /dev/sdc ONLINE\nspares\n  /dev/sdh INUSE\n",
     "/dev/sdb", 2, "raidz2-0"},
    {"beside a spared one",
     "  raidz2-0 DEGRADED\n    /dev/sda ONLINE\n    spare-1 DEGRADED\n      /dev/sdb FAULTED\n    "
     "  /dev/sdh ONLINE\n    /dev/sdc ONLINE\nspares\n  /dev/sdh INUSE\n",
     "/dev/sda", 1, "raidz2-0"},
    {"a stripe", "  /dev/sda ONLINE\n  /dev/sdb ONLINE\n", "/dev/sda", -1, ""},
    {"a log",
     "  mirror-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\nlogs\n  /dev/sdc ONLINE\n",
     "/dev/sdc", -1, ""},
};
INSTANTIATE_TEST_SUITE_P(Table, LossesLeft, ::testing::ValuesIn(kLosses));

// A vdev that may hold the only copy must be brought back, not replaced.
TEST(Redundancy, WhatMayHoldTheOnlyCopyIsNotReplaced) {
  const auto refusal = [](const std::string& rows, const char* leaf,
                          const char* state = "DEGRADED") {
    Names names;
    const Pool pool = names.pool(status_text(rows, "none requested", state));
    return replace_refusal(pool, pool.index_of(names.guid(leaf)));
  };
  const std::string lost =
      "  mirror-0 UNAVAIL\n    /dev/sda UNAVAIL\n    /dev/sdb UNAVAIL\n  mirror-1 DEGRADED\n"
      "    /dev/sdc ONLINE\n    /dev/sdd FAULTED\n";
  EXPECT_NE(refusal(lost, "/dev/sda").find("may hold the only copy"), std::string::npos);
  EXPECT_EQ(refusal(lost, "/dev/sdd"), "") << "its other half has all data";
  EXPECT_NE(refusal(lost, "/dev/sdd", "SUSPENDED").find("is suspended"), std::string::npos);
  const std::string resilvers =
      "  raidz1-0 DEGRADED\n    /dev/sda DEGRADED\n    /dev/sdb ONLINE (resilvering)\n"
      "    /dev/sdc ONLINE\n";
  EXPECT_NE(refusal(resilvers, "/dev/sda").find("is being resilvered"), std::string::npos);
  const std::string two =
      "  raidz2-0 DEGRADED\n    /dev/sda DEGRADED\n    /dev/sdb ONLINE (resilvering)\n"
      "    /dev/sdc ONLINE\n    /dev/sdd ONLINE\n";
  EXPECT_EQ(refusal(two, "/dev/sda"), "") << "redundancy allows it";
}

// Most resilvers fill a disk below a pair.
TEST(Redundancy, NoOtherDiskIsReplacedWhileAPairResilvers) {
  const auto refusal = [](const std::string& rows, const char* scan = "none requested") {
    Names names;
    const Pool pool = names.pool(status_text(rows, scan, "DEGRADED"));
    return replace_refusal(pool, pool.index_of(names.guid("/dev/sda")));
  };
  const std::string pairs[] = {
      "replacing-1 DEGRADED\n      /dev/sdb UNAVAIL\n      /dev/sdh ONLINE (resilvering)\n",
      "replacing-1 DEGRADED\n      /dev/sdb UNAVAIL\n      /dev/sdh ONLINE (awaiting resilver)\n",
      "spare-1 DEGRADED\n      /dev/sdb REMOVED\n      /dev/sdh ONLINE (resilvering)\n",
      "spare-1 DEGRADED\n      replacing-0 DEGRADED\n        /dev/sdb UNAVAIL\n        /dev/sdg "
      "ONLINE (resilvering)\n      /dev/sdh ONLINE (resilvering)\n"};
  for (const std::string& pair : pairs) {
    for (const char* group : {"raidz1-0", "mirror-0"})
      EXPECT_NE(refusal(fmt::format("  {} DEGRADED\n    /dev/sda ONLINE\n    {}", group, pair))
                    .find("is being resilvered"),
                std::string::npos)
          << group << pair;
    EXPECT_EQ(refusal(fmt::format("  raidz2-0 DEGRADED\n    /dev/sda ONLINE\n    /dev/sdc "
                                  "ONLINE\n    /dev/sdd ONLINE\n    {}",
                                  pair)),
              "")
        << "redundancy allows it";
    EXPECT_EQ(refusal(fmt::format("  raidz1-0 DEGRADED\n    /dev/sda FAULTED\n    {}", pair)), "")
        << "it does not work: nothing is lost by its replacement";
  }
  const std::string one =
      "  raidz1-0 DEGRADED\n    /dev/sda DEGRADED\n    /dev/sdb UNAVAIL\n    /dev/sdc ONLINE\n";
  EXPECT_EQ(refusal(one), "");
  EXPECT_NE(refusal(one, "resilver in progress since Sat Nov 28 02:57:05 2026"), "");
}

// zpool(8) prints "(resilvering)" once something was written to a disk. Until then one that is back
// looks like the others.
TEST(Redundancy, NoDiskIsSpareableWhileAResilverDoesNotSayWhatItFills) {
  constexpr const char* kRuns = "resilver in progress since Sat Nov 28 02:57:05 2026";
  const auto left = [](const std::string& sdb, const char* scan) {
    Names names;
    const Pool pool =
        names.pool(status_text("  raidz2-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE" + sdb +
                                   "\n    /dev/sdc ONLINE\n    /dev/sdd ONLINE\n",
                               scan, "ONLINE"));
    const Redundancy found = redundancy_of(pool, pool.index_of(names.guid("/dev/sda")));
    EXPECT_EQ(found.losses_left == 0, !found.refusal.empty());
    return found.losses_left;
  };
  EXPECT_EQ(left("", "none requested"), 2);
  EXPECT_EQ(left(" (resilvering)", kRuns), 1);
  EXPECT_EQ(left("", kRuns), 0) << "which of them is back is not known";
  EXPECT_EQ(left("", "scrub in progress since Sat Nov 28 02:57:05 2026"), 2);
}

TEST(Redundancy, MoreDegradedThanItToleratesIsNoQuestionOfSpares) {
  const auto refusal = [](int degraded) {
    Names names;
    std::string rows = "  raidz2-0 DEGRADED\n";
    for (int n = 0; n < 6; ++n)
      rows += fmt::format("    /dev/sd{} {}\n", static_cast<char>('a' + n),
                          n < degraded ? "DEGRADED" : "ONLINE");
    const Pool pool = names.pool(status_text(rows, "none requested", "DEGRADED"));
    return replace_refusal(pool, pool.index_of(names.guid("/dev/sda")));
  };
  for (int degraded = 1; degraded <= 3; ++degraded) EXPECT_EQ(refusal(degraded), "") << degraded;
  for (int degraded = 4; degraded <= 6; ++degraded)
    EXPECT_NE(refusal(degraded).find("than it tolerates"), std::string::npos) << degraded;
}

TEST(Redundancy, ASpareThatStaysBesideAHealthyDisk) {
  const auto beside = [](const std::string& rows, const char* spare) {
    Names names;
    const Pool pool = names.pool(status_text(rows));
    return stuck_beside(pool, pool.index_of(names.guid(spare)));
  };
  EXPECT_EQ(beside("  raidz1-0 ONLINE\n    /dev/sda ONLINE\n    spare-1 ONLINE\n      /dev/sdb "
                   "ONLINE\n      /dev/sdh ONLINE\nspares\n  /dev/sdh INUSE\n",
                   "/dev/sdh"),
            "sdb");
  EXPECT_EQ(beside("  raidz1-0 DEGRADED\n    /dev/sda ONLINE\n    spare-1 DEGRADED\n      "
                   "/dev/sdb DEGRADED\n      /dev/sdh ONLINE\nspares\n  /dev/sdh INUSE\n",
                   "/dev/sdh"),
            "")
      << "it stands in for one that is not well";
}

TEST(Redundancy, ASuspendedPoolIsLeftAlone) {
  Names names;
  const Pool pool =
      names.pool(status_text("  mirror-0 ONLINE\n    /dev/sda ONLINE\n    /dev/sdb ONLINE\n",
                             "none requested", "SUSPENDED"));
  EXPECT_NE(retire_refusal(pool, names.guid("/dev/sda")).find("suspended"), std::string::npos);
}

}  // namespace
}  // namespace fmd::zfs
