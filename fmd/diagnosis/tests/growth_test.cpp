// A counter over its baseline, alone.
#include "fmd/diagnosis/growth.h"

#include <gtest/gtest.h>

#include <limits>

#include "fmd/base/json.h"
#include "fmd/diagnosis/tests/rig.h"

namespace fmd::growth_test {
namespace {

using test::kMinute;
using test::kStart;
using Change = Growth::Change;

constexpr int64_t kHour = 60 * kMinute;

TEST(Growth, WhatWasThereFirstIsNoNews) {
  Growth g;
  const GrowthPolicy policy{5, 0, {}};
  EXPECT_EQ(g.look(policy, 100, kStart), Change::first);
  EXPECT_FALSE(g.grown());
  EXPECT_EQ(g.look(policy, 104, kStart + kHour), Change::risen);
  EXPECT_FALSE(g.grown());
  EXPECT_EQ(g.look(policy, 105, kStart + 9000 * kHour), Change::risen);  // however slowly
  EXPECT_TRUE(g.grown());
  EXPECT_EQ(g.baseline(), 100);
  EXPECT_EQ(g.limit(), 105);
  EXPECT_EQ(g.value(), 105);
}

TEST(Growth, TheSameValueAgainIsNothing) {
  Growth g;
  g.look({5, 0, {}}, 7, kStart);
  const std::string before = g.to_json().dump();
  EXPECT_EQ(g.look({5, 0, {}}, 7, kStart + kHour), Change::none);
  EXPECT_EQ(g.to_json().dump(), before);
}

TEST(Growth, StaysUntilItIsBelowItsLimitAgain) {
  Growth g;
  const GrowthPolicy policy{5, 0, {}};
  for (const double value : {10.0, 20.0, 16.0, 15.0}) g.look(policy, value, kStart);
  EXPECT_TRUE(g.grown());
  EXPECT_EQ(g.look(policy, 14, kStart), Change::fallen);
  EXPECT_FALSE(g.grown());
  EXPECT_FALSE(g.limit());
}

TEST(Growth, TheBaselineFallsWithTheValue) {
  Growth g;
  const GrowthPolicy policy{5, 0, {}};
  for (const double value : {1000.0, 0.0, 4.0}) g.look(policy, value, kStart);
  EXPECT_FALSE(g.grown());
  g.look(policy, 5, kStart);
  EXPECT_TRUE(g.grown());
  EXPECT_EQ(g.baseline(), 0);
}

TEST(Growth, APinMakesTheValueTheBaseline) {
  Growth g;
  const GrowthPolicy policy{5, 0, {}};
  for (const double value : {0.0, 8.0}) g.look(policy, value, kStart);
  g.pin();
  EXPECT_FALSE(g.grown());
  g.look(policy, 12, kStart);
  EXPECT_FALSE(g.grown());
  g.look(policy, 13, kStart);
  EXPECT_TRUE(g.grown());
  EXPECT_EQ(g.baseline(), 8);
}

TEST(Growth, ARebaseIncludesTheNextMinute) {
  const GrowthPolicy policy{5, 0, {}};
  Growth g;
  for (const double value : {0.0, 4.0}) g.look(policy, value, kStart);
  g.rebase(kStart);
  g.look(policy, 20, kStart + kMinute - 1);
  EXPECT_FALSE(g.grown());
  g = Growth::from_json(g.to_json());
  g.look(policy, 24, kStart + kMinute);
  EXPECT_FALSE(g.grown());
  g.look(policy, 25, kStart + kMinute);
  EXPECT_TRUE(g.grown());
  EXPECT_EQ(g.baseline(), 20);
  g.rebase(kStart + kHour);
  g.look(policy, 30, kStart);
  EXPECT_TRUE(g.grown()) << "the clock was set back";
}

TEST(Growth, TheFirstValueMayBeEnough) {
  const GrowthPolicy policy{5, 0, 100.0};
  Growth at;
  at.look(policy, 100, kStart);
  EXPECT_FALSE(at.grown());
  Growth above;
  above.look(policy, 101, kStart);
  EXPECT_TRUE(above.grown());
  EXPECT_EQ(above.limit(), 100);
  EXPECT_FALSE(above.baseline());
  above.look(policy, 150, kStart);
  EXPECT_TRUE(above.grown());
  above.pin();
  above.look(policy, 154, kStart);  // not the first any more
  EXPECT_FALSE(above.grown());
  Growth reset;
  reset.look(policy, 101, kStart);
  reset.look(policy, 100, kStart);
  EXPECT_FALSE(reset.grown());
}

TEST(Growth, AcknowledgedItIsKnownUntilItIsWell) {
  const GrowthPolicy policy{5, 0, 100.0};
  Growth g;
  g.look(policy, 150, kStart);
  g.acknowledge();
  EXPECT_TRUE(g.known());
  EXPECT_FALSE(g.grown());
  g = Growth::from_json(g.to_json());
  g.look(policy, 154, kStart);
  EXPECT_FALSE(g.grown());
  g.look(policy, 155, kStart);
  EXPECT_TRUE(g.grown()) << "five more";
  EXPECT_EQ(g.baseline(), 150);
  g.acknowledge();
  g.look(policy, 101, kStart);
  EXPECT_TRUE(g.known()) << "it has fallen, but is still above the limit of 100";
  g.look(policy, 100, kStart);
  EXPECT_FALSE(g.known());
  g.acknowledge();
  EXPECT_FALSE(g.known()) << "nothing has grown, so nothing is acknowledged";
}

TEST(Growth, APinForgetsWhatWasKnown) {
  Growth g;
  g.look({5, 0, 100.0}, 150, kStart);
  g.acknowledge();
  g.pin();
  EXPECT_FALSE(g.known());
}

TEST(Growth, TheFirstValueAlone) {
  const GrowthPolicy policy{std::numeric_limits<double>::infinity(), 0, 100.0};
  Growth g;
  g.look(policy, 100, kStart);
  g.look(policy, 1e9, kStart);
  EXPECT_FALSE(g.grown());
}

TEST(Growth, WithinCountsWhatWasCurrentInThatTime) {
  const GrowthPolicy policy{5, 24 * kHour, {}};
  Growth slow;
  int64_t now = kStart;
  for (int value = 0; value < 100; ++value, now += 6 * kHour) slow.look(policy, value, now);
  EXPECT_FALSE(slow.grown());
  Growth fast;
  now = kStart;
  for (int value = 0; value <= 5; ++value, now += 4 * kHour) fast.look(policy, value, now);
  EXPECT_TRUE(fast.grown());
  EXPECT_EQ(fast.baseline(), 0);
  // Zero for a year, then five at once: zero was current until just now.
  Growth sudden;
  sudden.look(policy, 0, kStart);
  sudden.look(policy, 5, kStart + 365 * 24 * kHour);
  EXPECT_TRUE(sudden.grown());
  // It stays grown when it rises slowly from there on: only a fall ends it.
  sudden.look(policy, 6, kStart + 400 * 24 * kHour);
  EXPECT_TRUE(sudden.grown());
  EXPECT_EQ(sudden.baseline(), 0);
}

TEST(Growth, MemoryIsBounded) {
  const GrowthPolicy policy{1e9, 24 * kHour, {}};
  Growth within, ever;
  for (int i = 0; i < 10000; ++i) {
    within.look(policy, i, kStart + i * kMinute);
    ever.look({1e9, 0, {}}, i, kStart + i * kMinute);
  }
  EXPECT_LE(within.to_json()["past"].size(), 34u);
  EXPECT_GE(within.to_json()["past"].size(), 30u);
  EXPECT_EQ(ever.to_json()["past"].size(), 1u);
}

TEST(Growth, AClockSetBackKeepsNothingForLong) {
  const GrowthPolicy policy{5, kHour, {}};
  Growth g;
  g.look(policy, 0, kStart + 5000 * kHour);
  g.look(policy, 1, kStart + 5001 * kHour);
  g.look(policy, 2, kStart);  // set back
  g.look(policy, 5, kStart + 3 * kHour);
  EXPECT_FALSE(g.grown());  // 0 and 1 were over at kStart, 2 was current until now
  g.look(policy, 7, kStart + 3 * kHour + kMinute);
  EXPECT_TRUE(g.grown());
  EXPECT_EQ(g.baseline(), 2);
  g.look(policy, 1e300, INT64_MIN);
  g.look(policy, 1e301, INT64_MAX);
}

TEST(Growth, ComesBackFromItsRow) {
  for (const double last : {3.0, 5.5, 101.0}) {
    Growth g;
    const GrowthPolicy policy{5, 24 * kHour, 100.0};
    g.look(policy, last > 100 ? last : 0.5, kStart);
    g.look(policy, last, kStart + kHour);
    const Growth again = Growth::from_json(g.to_json());
    EXPECT_EQ(again.to_json(), g.to_json());
    EXPECT_EQ(again.grown(), g.grown());
    EXPECT_EQ(again.baseline(), g.baseline());
    EXPECT_EQ(again.limit(), g.limit());
  }
  EXPECT_EQ(Growth::from_json(nlohmann::json::parse("[1]")).to_json(), Growth().to_json());
  const auto odd = nlohmann::json::parse(R"({"value":1,"past":[[1],["a",2],5],"limit":"x"})");
  EXPECT_FALSE(Growth::from_json(odd).grown());
}

}  // namespace
}  // namespace fmd::growth_test
