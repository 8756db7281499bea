#include "plugins/snmp/resilvers.h"

#include <gtest/gtest.h>

#include "plugins/sdk/tests/support.h"

namespace fmd::snmp {
namespace {

using sdk::testing::TempTree;

PoolScan pool(bool resilvers, int64_t started = 5) {
  return {"zfs://pool=1", "tank", "ONLINE", "resilvered 3 GiB", true, resilvers, started};
}

TEST(Resilvers, TheEndIsToldOnce) {
  TempTree tree;
  auto resilvers = Resilvers::open(tree.root());
  ASSERT_TRUE(resilvers->see({pool(true)}, "store1", 100));
  EXPECT_TRUE(resilvers->to_tell().empty());
  ASSERT_TRUE(resilvers->see({pool(false)}, "store1", 200));
  ASSERT_TRUE(resilvers->see({pool(false)}, "store1", 300));
  ASSERT_EQ(resilvers->to_tell().size(), 1u);
  const auto [key, one] = *resilvers->to_tell().begin();
  EXPECT_EQ(one.pool, "tank");
  EXPECT_EQ(one.time_ns, 200);
  ASSERT_TRUE(resilvers->told(key));
  ASSERT_TRUE(resilvers->see({pool(false)}, "store1", 400));
  EXPECT_TRUE(resilvers->to_tell().empty());
}

TEST(Resilvers, OneThatEndedWhileNobodyLookedIsToldToo) {
  TempTree tree;
  ASSERT_TRUE(Resilvers::open(tree.root())->see({pool(true)}, "store1", 100));
  auto later = Resilvers::open(tree.root());
  ASSERT_TRUE(later->see({pool(false)}, "store1", 200));
  ASSERT_EQ(later->to_tell().size(), 1u);
  // Not told yet: it is after another restart, too.
  const auto again = Resilvers::open(tree.root());
  ASSERT_EQ(again->to_tell().size(), 1u);
  EXPECT_EQ(again->to_tell().begin()->second.result, "resilvered 3 GiB");
}

TEST(Resilvers, APoolThatIsNotSeenHasNotEndedIts) {
  auto resilvers = Resilvers::open("");
  ASSERT_TRUE(resilvers->see({pool(true)}, "store1", 100));
  ASSERT_TRUE(resilvers->see({}, "store1", 200));
  PoolScan silent = pool(false);
  silent.observed = false;
  ASSERT_TRUE(resilvers->see({silent}, "store1", 300));
  EXPECT_TRUE(resilvers->to_tell().empty());
}

TEST(Resilvers, TwoPoolsAndTheSecondTime) {
  auto resilvers = Resilvers::open("");
  PoolScan other = pool(true, 7);
  other.fmri = "md://uuid=2";
  ASSERT_TRUE(resilvers->see({pool(true), other}, "h", 100));
  other.resilvers = false;
  ASSERT_TRUE(resilvers->see({pool(false), other}, "h", 200));
  EXPECT_EQ(resilvers->to_tell().size(), 2u);
  ASSERT_TRUE(resilvers->see({pool(true, 900)}, "h", 950));
  ASSERT_TRUE(resilvers->see({pool(false, 900)}, "h", 990));
  EXPECT_EQ(resilvers->to_tell().size(), 3u);
}

}  // namespace
}  // namespace fmd::snmp
