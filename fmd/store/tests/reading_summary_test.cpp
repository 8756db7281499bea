#include "fmd/store/reading_summary.h"

#include <gtest/gtest.h>

#include "fmd/store/reading_filter.h"

namespace fmd {
namespace {

constexpr int64_t kHour = 3600LL * 1000000000, kDay = 24 * kHour;

Reading reading(double value, int64_t time_ns, const std::string& name = "t") {
  return {"dev://a", name, "", value, time_ns};
}

TEST(ReadingFilter, KeepsWhatSaysSomethingNew) {
  ReadingFilter filter;
  EXPECT_TRUE(filter.keep(reading(1, kHour))) << "the first";
  EXPECT_FALSE(filter.keep(reading(1, 2 * kHour)));
  EXPECT_TRUE(filter.keep(reading(2, 3 * kHour))) << "a change";
  EXPECT_TRUE(filter.keep(reading(2, 3 * kHour, "other"))) << "another name";
  EXPECT_FALSE(filter.keep(reading(2, 26 * kHour)));
  EXPECT_TRUE(filter.keep(reading(2, 27 * kHour))) << "a day after the last that was kept";
  EXPECT_FALSE(filter.keep(reading(2, 28 * kHour)));
  EXPECT_TRUE(filter.keep(reading(2, 20 * kHour))) << "a clock was set";
  filter.clear();
  EXPECT_TRUE(filter.keep(reading(2, 28 * kHour)));
}

TEST(ReadingSummary, TheMeanIsOverTime) {
  const auto sum = summarize({{0, 10}, {kHour, 20}, {4 * kHour, 10}}, 0, 10 * kHour);
  EXPECT_EQ(sum.count, 3u);
  EXPECT_EQ(sum.first, 10);
  EXPECT_EQ(sum.last, 10);
  EXPECT_EQ(sum.last_ns, 4 * kHour);
  EXPECT_EQ(sum.min, 10);
  EXPECT_EQ(sum.max, 20);
  EXPECT_DOUBLE_EQ(sum.mean, 13);  // (1 h of 10, 3 h of 20, 6 h of 10)
  EXPECT_EQ(summarize({{5, 7}}, 5, 5).mean, 7) << "no time has passed";
}

TEST(ReadingSummary, AValueHoldsTwoDaysAtMost) {
  const auto sum = summarize({{0, 10}, {10 * kDay, 20}}, 0, 11 * kDay);
  EXPECT_DOUBLE_EQ(sum.mean, (2 * 10 + 1 * 20) / 3.0);
}

TEST(ReadingSummary, WhatWasInForceAtTheBeginningCounts) {
  const std::vector<ReadingPoint> points = {{0, 1}, {kDay, 2}, {3 * kDay, 3}};
  EXPECT_EQ(in_force(points, kDay + kHour).size(), 2u);
  EXPECT_EQ(in_force(points, kDay + kHour).front().value, 2);
  EXPECT_EQ(in_force(points, kDay).front().value, 2) << "exactly then: the one before says nothing";
  EXPECT_EQ(in_force(points, kDay).size(), 2u);
  EXPECT_EQ(in_force(points, 4 * kDay).size(), 1u);
  EXPECT_TRUE(in_force(points, 6 * kDay).empty()) << "too old";
  const auto held = summarize({{0, 10}, {4 * kHour, 20}}, 2 * kHour, 6 * kHour);
  EXPECT_DOUBLE_EQ(held.mean, 15);
}

TEST(ReadingSummary, ThinnedPointsKeepTheExtremes) {
  std::vector<ReadingPoint> points;
  for (int i = 0; i < 1000; ++i) points.push_back({i * kHour, i == 500 ? 99.0 : 40.0 - i % 2});
  const auto thinned = thin(points, 10);
  ASSERT_EQ(thinned.size(), 10u);
  EXPECT_EQ(thinned[5].max, 99);
  EXPECT_EQ(thinned[4].max, 40);
  EXPECT_EQ(thinned[4].min, 39);
  EXPECT_EQ(thinned.back().time_ns, 999 * kHour);
  EXPECT_EQ(thin(points, 1).size(), 1u);
  EXPECT_EQ(thin(points, 1).front().value, 39) << "the last";
  EXPECT_EQ(thin(points, 1000).size(), 1000u);
  EXPECT_EQ(thin({{5, 1}, {5, 2}}, 2).size(), 2u) << "few enough are given as they are";
  EXPECT_TRUE(thin({}, 5).empty());
}

}  // namespace
}  // namespace fmd
