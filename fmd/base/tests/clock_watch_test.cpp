#include "fmd/base/clock_watch.h"

#include <gtest/gtest.h>

namespace fmd {
namespace {

constexpr int64_t kMinute = 60LL * 1000000000;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;
using Turn = ClockWatch::Turn;

class ClockWatchTest : public ::testing::Test {
 protected:
  void SetUp() override { watch_.observe(now_, false); }
  // Advances the clock by ns, observing it every minute. Returns the last turn other than none.
  Turn pass(int64_t ns) {
    Turn turn = Turn::none;
    for (int64_t gone = 0; gone < ns; gone += kMinute) {
      now_.wall_ns += kMinute;
      now_.steady_ns += kMinute;
      if (const Turn next = watch_.observe(now_, false); next != Turn::none) turn = next;
    }
    return turn;
  }
  Turn step(int64_t ns) {
    now_.wall_ns += ns;
    return watch_.observe(now_, false);
  }
  void restart() {
    ClockWatch next;
    ASSERT_TRUE(next.restore(rows_));
    watch_ = next;
  }
  void keep() {
    if (auto rows = watch_.take_changes(); !rows.empty()) rows_ = rows;
  }

  ClockWatch watch_;
  Moment now_{1790000000LL * 1000000000};
  std::vector<StateRow> rows_;
};

TEST_F(ClockWatchTest, IsBelievedAsItIsAtFirstAndThroughSmallSteps) {
  EXPECT_TRUE(watch_.believed());
  for (int64_t ns : {kHour, -2 * kHour, 5 * kMinute}) {
    EXPECT_EQ(step(ns), Turn::none);
    EXPECT_EQ(pass(2 * kHour), Turn::none);
  }
  EXPECT_TRUE(watch_.believed());
}

TEST_F(ClockWatchTest, AJumpEitherWayIsDoubtedUntilAnHourOfAgreement) {
  for (int64_t ns : {400 * kDay, -400 * kDay, kDay + kMinute}) {
    EXPECT_EQ(step(ns), Turn::doubted);
    EXPECT_EQ(watch_.off_ns(), ns);
    EXPECT_EQ(pass(kHour - kMinute), Turn::none);
    EXPECT_FALSE(watch_.believed());
    EXPECT_EQ(pass(kMinute), Turn::believed);
    EXPECT_TRUE(watch_.believed());
  }
}

TEST_F(ClockWatchTest, TheKernelsWordConfirmsAtOnce) {
  step(400 * kDay);
  EXPECT_EQ(watch_.observe(now_, true), Turn::believed);
  EXPECT_EQ(pass(kHour), Turn::none);
}

TEST_F(ClockWatchTest, AClockThatIsSetRightAgainIsBelievedAtOnce) {
  step(400 * kDay);
  pass(10 * kMinute);
  EXPECT_EQ(step(-400 * kDay), Turn::believed);
}

TEST_F(ClockWatchTest, SeveralStepsAreOneJump) {
  EXPECT_EQ(step(20 * kHour), Turn::none);
  pass(30 * kMinute);
  EXPECT_EQ(step(20 * kHour), Turn::doubted);
  pass(50 * kMinute);
  EXPECT_EQ(step(kDay), Turn::none) << "still in doubt: the hour begins anew";
  EXPECT_EQ(pass(50 * kMinute), Turn::none);
  EXPECT_EQ(pass(10 * kMinute), Turn::believed);
}

TEST_F(ClockWatchTest, ARestartInBetweenConfirmsNothing) {
  pass(2 * kHour);
  keep();
  step(400 * kDay);
  pass(30 * kMinute);
  keep();
  restart();
  EXPECT_EQ(watch_.observe(now_, false), Turn::doubted);
  EXPECT_EQ(pass(50 * kMinute), Turn::none);
  EXPECT_EQ(pass(10 * kMinute), Turn::believed);
  keep();
  restart();
  EXPECT_EQ(watch_.observe(now_, false), Turn::none);
}

TEST_F(ClockWatchTest, AJumpWhileTheDaemonWasDownIsSeen) {
  keep();
  now_.wall_ns -= 365 * kDay;
  restart();
  EXPECT_EQ(watch_.observe(now_, false), Turn::doubted);
}

TEST_F(ClockWatchTest, DriftIsNoJump) {
  for (int hour = 0; hour < 3000; ++hour) {
    now_.wall_ns += kMinute / 2;  // 1.4 % fast
    now_.wall_ns += kHour;
    now_.steady_ns += kHour;
    EXPECT_EQ(watch_.observe(now_, false), Turn::none);
  }
}

TEST_F(ClockWatchTest, ARowThatCannotBeReadIsSaid) {
  for (const char* doc : {"", "[]", R"({"offset":"x"})"}) {
    ClockWatch watch;
    EXPECT_FALSE(watch.restore({{"clock", "watch", doc}})) << doc;
    EXPECT_EQ(watch.observe(now_, false), Turn::none);
  }
}

}  // namespace
}  // namespace fmd
