#include "fmd/bus/allowances.h"

#include <gtest/gtest.h>

namespace fmd::bus {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(AllowancesTest, SomeAtOnceThenSoManyASecondEachUserForHimself) {
  Allowances allowances;
  constexpr size_t kBig = Allowances::kAtOnce / 4;
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(allowances.take(1000, kBig, 0)) << i;
  EXPECT_FALSE(allowances.take(1000, kBig, 0));
  EXPECT_TRUE(allowances.take(1001, kBig, 0));
  EXPECT_FALSE(allowances.take(1000, kBig, kSecond));
  EXPECT_TRUE(allowances.take(1000, kBig, 2 * kSecond));
}

TEST(AllowancesTest, OneThatIsLargerThanAllThereIsHasItsTurnToo) {
  Allowances allowances;
  EXPECT_TRUE(allowances.take(1000, 4 * Allowances::kAtOnce, 0));
  EXPECT_FALSE(allowances.take(1000, 1, 0));
  EXPECT_TRUE(allowances.take(1000, 4 * Allowances::kAtOnce, 7 * kSecond));
}

TEST(AllowancesTest, AClockThatStandsStillGivesNothing) {
  Allowances allowances;
  EXPECT_TRUE(allowances.take(1000, Allowances::kAtOnce, kSecond));
  EXPECT_FALSE(allowances.take(1000, 1 << 20, 0));
  EXPECT_FALSE(allowances.take(1000, 1 << 20, 0));
}

}  // namespace
}  // namespace fmd::bus
