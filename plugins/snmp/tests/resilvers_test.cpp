#include "plugins/snmp/resilvers.h"

#include <gtest/gtest.h>

#include "plugins/sdk/tests/support.h"

namespace fmd::snmp {
namespace {

using sdk::testing::TempTree;

constexpr const char* kFirst =
    "resilvered 3G in 00:01:00 with 0 errors on Sat Nov 21 02:48:49 2026";
constexpr const char* kSecond =
    "resilvered 4G in 00:01:00 with 0 errors on Sat Nov 21 03:48:49 2026";
constexpr const char* kScrub = "scrub repaired 0B in 00:01:00 with 0 errors on Sun Nov 22 2026";

PoolScan pool(const std::string& last) {
  return {"zfs://pool=1", "tank", "ONLINE", last, true};
}

TEST(Resilvers, TheEndIsToldOnce) {
  TempTree tree;
  auto resilvers = Resilvers::open(tree.root());
  ASSERT_TRUE(resilvers->see({pool("")}, "store1", 100));
  EXPECT_TRUE(resilvers->to_tell().empty());
  ASSERT_TRUE(resilvers->see({pool(kFirst)}, "store1", 200));
  ASSERT_TRUE(resilvers->see({pool(kFirst)}, "store1", 300));
  ASSERT_EQ(resilvers->to_tell().size(), 1u);
  const auto [key, one] = *resilvers->to_tell().begin();
  EXPECT_EQ(one.pool, "tank");
  EXPECT_EQ(one.time_ns, 200);
  ASSERT_TRUE(resilvers->told(key));
  ASSERT_TRUE(resilvers->see({pool(kFirst)}, "store1", 400));
  ASSERT_TRUE(resilvers->see({pool(kScrub)}, "store1", 500));
  EXPECT_TRUE(resilvers->to_tell().empty());
  EXPECT_TRUE(Resilvers::open(tree.root())->to_tell().empty());
}

TEST(Resilvers, OneThatEndedWhileNobodyLookedIsToldToo) {
  TempTree tree;
  ASSERT_TRUE(Resilvers::open(tree.root())->see({pool(kFirst)}, "store1", 100));
  auto later = Resilvers::open(tree.root());
  ASSERT_TRUE(later->see({pool(kSecond)}, "store1", 200));
  ASSERT_EQ(later->to_tell().size(), 1u);
  // Not told yet: it is after another restart, too.
  const auto again = Resilvers::open(tree.root());
  ASSERT_EQ(again->to_tell().size(), 1u);
  EXPECT_EQ(again->to_tell().begin()->second.result, kSecond);
}

TEST(Resilvers, WhatIsOldOrNotKnownIsNoEnd) {
  auto resilvers = Resilvers::open("");
  ASSERT_TRUE(resilvers->see({pool(kFirst)}, "h", 100));  // from before fmd-snmp was there
  ASSERT_TRUE(resilvers->see({pool("")}, "h", 200));      // its plugin was started anew
  ASSERT_TRUE(resilvers->see({pool(kFirst)}, "h", 300));
  ASSERT_TRUE(resilvers->see({}, "h", 400));
  PoolScan silent = pool(kSecond);
  silent.observed = false;
  ASSERT_TRUE(resilvers->see({silent}, "h", 500));
  EXPECT_TRUE(resilvers->to_tell().empty());
}

TEST(Resilvers, AnArraysRecoveryAndTheSecondTime) {
  auto resilvers = Resilvers::open("");
  PoolScan array{"md://uuid=2", "md0", "optimal", "", true};
  ASSERT_TRUE(resilvers->see({pool(""), array}, "h", 100));
  array.last = "recover ended Nov 21 02:48:49, the array is optimal";
  ASSERT_TRUE(resilvers->see({pool(kFirst), array}, "h", 200));
  EXPECT_EQ(resilvers->to_tell().size(), 2u);
  ASSERT_TRUE(resilvers->see({pool(kSecond), array}, "h", 300));
  EXPECT_EQ(resilvers->to_tell().size(), 3u);
}

TEST(Resilvers, AForeignFileIsAnError) {
  for (const char* text : {"", "{}", "[]", R"({"last":[],"ended":{}})"}) {
    TempTree tree;
    tree.file("/resilvers", text);
    EXPECT_FALSE(Resilvers::open(tree.root())) << text;
  }
}

}  // namespace
}  // namespace fmd::snmp
