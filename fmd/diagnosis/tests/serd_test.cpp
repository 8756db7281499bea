#include "fmd/diagnosis/serd.h"

#include <gtest/gtest.h>

#include "fmd/base/json.h"

namespace fmd::serd_test {
namespace {

constexpr int64_t kSecond = 1000000000, kT0 = 1795228661LL * kSecond;

TEST(Serd, FiresAtTheNthWithinT) {
  Serd serd(3, 10 * kSecond);
  EXPECT_FALSE(serd.add(kT0, kT0));
  EXPECT_FALSE(serd.add(kT0 + 5 * kSecond, kT0 + 5 * kSecond));
  EXPECT_TRUE(serd.add(kT0 + 10 * kSecond, kT0 + 10 * kSecond));  // newest − oldest = T exactly
  EXPECT_TRUE(serd.fired());
  EXPECT_FALSE(serd.add(kT0 + 11 * kSecond, kT0 + 11 * kSecond));  // silent until reset
  serd.reset();
  EXPECT_FALSE(serd.fired());
  EXPECT_EQ(serd.count(), 0u);
}

TEST(Serd, DoesNotFireBeyondT) {
  Serd serd(3, 10 * kSecond);
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(serd.add(kT0 + i * 6 * kSecond, kT0 + i * 6 * kSecond));
  EXPECT_LE(serd.count(), 3u);
}

TEST(Serd, OneFiresAtOnce) {
  Serd serd(1, 0);
  EXPECT_TRUE(serd.add(kT0, kT0));
}

TEST(Serd, CountsLateEventsInTheirPlace) {
  Serd serd(3, 10 * kSecond);
  const int64_t now = kT0 + 1000 * kSecond;
  EXPECT_FALSE(serd.add(kT0 + 20 * kSecond, now));
  EXPECT_FALSE(serd.add(kT0, now));
  EXPECT_FALSE(serd.add(kT0 + 12 * kSecond, now));
  EXPECT_TRUE(serd.add(kT0 + 15 * kSecond, now));  // 12, 15, 20
}

TEST(Serd, ALateEventMayCompleteTheOlderWindow) {
  Serd serd(3, 10 * kSecond);
  const int64_t now = kT0 + 1000 * kSecond;
  EXPECT_FALSE(serd.add(kT0, now));
  EXPECT_FALSE(serd.add(kT0 + 4 * kSecond, now));
  EXPECT_FALSE(serd.add(kT0 + 500 * kSecond, now));
  EXPECT_TRUE(serd.add(kT0 + 2 * kSecond, now));
  ASSERT_EQ(serd.entries().size(), 3u);  // what it fired for
  EXPECT_EQ(serd.newest_ns(), kT0 + 4 * kSecond);
}

TEST(Serd, AnEventFromTheFutureCountsAsOfNow) {
  Serd serd(2, 10 * kSecond);
  EXPECT_FALSE(serd.add(kT0 + 3600 * kSecond, kT0));
  EXPECT_EQ(serd.newest_ns(), kT0);
  EXPECT_TRUE(serd.add(kT0 + 5 * kSecond, kT0 + 5 * kSecond));
  Serd near(2, 10 * kSecond);  // a minute ahead is a clock that is a little off
  EXPECT_FALSE(near.add(kT0 + 60 * kSecond, kT0));
  EXPECT_EQ(near.newest_ns(), kT0 + 60 * kSecond);
}

TEST(Serd, AClockSetBackNeitherFiresNorBlocks) {
  Serd serd(3, 10 * kSecond);
  const int64_t wrong = kT0 + 86400LL * 365 * kSecond;
  EXPECT_FALSE(serd.add(wrong, wrong));
  EXPECT_FALSE(serd.add(wrong + kSecond, wrong + kSecond));
  EXPECT_FALSE(serd.add(kT0, kT0));
  EXPECT_EQ(serd.count(), 1u);  // a year ahead: forgotten
  EXPECT_FALSE(serd.add(kT0 + kSecond, kT0 + kSecond));
  EXPECT_TRUE(serd.add(kT0 + 2 * kSecond, kT0 + 2 * kSecond));
}

TEST(Serd, ExtremeTimesDoNotOverflow) {
  Serd serd(2, INT64_MAX);
  EXPECT_FALSE(serd.add(INT64_MIN, INT64_MAX));
  EXPECT_TRUE(serd.add(INT64_MAX, INT64_MAX));
  Serd other(2, 0);
  EXPECT_FALSE(other.add(INT64_MAX, INT64_MIN));
  EXPECT_TRUE(other.add(INT64_MIN, INT64_MIN));
}

TEST(Serd, TheSameEventTwiceIsOne) {
  Serd serd(2, 10 * kSecond);
  EXPECT_FALSE(serd.add({kT0, 1, 0, 77}, kT0));
  EXPECT_FALSE(serd.add({kT0, 2, 0, 77}, kT0));
  EXPECT_EQ(serd.count(), 1u);
  EXPECT_TRUE(serd.add({kT0, 3, 0, 78}, kT0));
  Serd unknown(2, 10 * kSecond);  // without a hash nothing says that they are one
  EXPECT_FALSE(unknown.add({kT0, 1, 0, 0}, kT0));
  EXPECT_TRUE(unknown.add({kT0, 2, 0, 0}, kT0));
}

TEST(Serd, ANewCountTakesTheNewestAlong) {
  Serd serd(10, 60 * kSecond);
  for (int i = 0; i < 9; ++i) serd.add(kT0 + i * kSecond, kT0 + i * kSecond);
  serd.configure(3, 60 * kSecond);
  EXPECT_EQ(serd.count(), 3u);
  EXPECT_TRUE(serd.add(kT0 + 9 * kSecond, kT0 + 9 * kSecond));
  Serd huge(UINT64_MAX, 1);
  EXPECT_EQ(huge.n(), Serd::kMaxCount);
}

TEST(Serd, ExpiresWhenNothingCanCome) {
  Serd serd(3, 10 * kSecond);
  EXPECT_TRUE(serd.expired(kT0));
  serd.add(kT0, kT0);
  EXPECT_FALSE(serd.expired(kT0 + 3600 * kSecond));  // late telemetry may still be on its way
  EXPECT_TRUE(serd.expired(kT0 + 25 * 3600 * kSecond));
  Serd fired(1, 0);
  fired.add(kT0, kT0);
  EXPECT_FALSE(fired.expired(INT64_MAX));
}

TEST(Serd, WhatIsNotItsOwnIsTakenBack) {
  Serd serd(3, 100 * kSecond);
  for (const int64_t at : {0, 10}) serd.add(kT0 + at * kSecond, kT0 + at * kSecond);
  ASSERT_TRUE(serd.add(kT0 + 20 * kSecond, kT0 + 20 * kSecond));
  serd.disown({kT0 + 10 * kSecond, kT0 + 11 * kSecond});
  EXPECT_EQ(serd.count(), 2u);
  EXPECT_FALSE(serd.fired());
  EXPECT_TRUE(serd.add(kT0 + 30 * kSecond, kT0 + 30 * kSecond)) << "the third of its own";
}

TEST(Serd, RoundTripsAndSurvivesDamage) {
  Serd serd(5, 10 * kSecond);
  for (int i = 0; i < 4; ++i) serd.add({kT0 + i, static_cast<uint64_t>(i), 7, 9}, kT0);
  Serd back = Serd::from_json(nlohmann::json::parse(serd.to_json().dump()));
  EXPECT_EQ(back.entries(), serd.entries());
  EXPECT_EQ(back.to_json(), serd.to_json());
  EXPECT_TRUE(back.add(kT0 + 9, kT0 + 9));
  for (const char* bad : {"[]", "{}", "null", R"({"n":"x","entries":5})",
                          R"({"n":2,"entries":[1,[1],["a",1,1,1],[1,2,3,4.5]]})"})
    EXPECT_EQ(Serd::from_json(nlohmann::json::parse(bad)).count(), 0u) << bad;
}

}  // namespace
}  // namespace fmd::serd_test
