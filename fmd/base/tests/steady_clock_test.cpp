#include "fmd/base/steady_clock.h"

#include <gtest/gtest.h>

namespace fmd::steady_clock_test {
namespace {

constexpr int64_t kSecond = 1000000000;
constexpr int64_t kDay = 86400 * kSecond;

class SteadyClockTest : public ::testing::Test {
 protected:
  SteadyClock clock(const std::string& boot_id) {
    return {Clock{[this] { return wall_; }, [this] { return boot_; }}, boot_id};
  }
  void pass(int64_t ns) {
    wall_ += ns;
    boot_ += ns;
  }
  int64_t wall_ = 1790000000 * kSecond, boot_ = 30 * kSecond;
};

TEST_F(SteadyClockTest, BeginsAtTheWallClocksTime) {
  auto steady = clock("boot-1");
  ASSERT_TRUE(steady.restore({{"case", "x", "{}"}}));
  EXPECT_EQ(steady.steady_ns(), wall_);
  EXPECT_EQ(steady.now().wall_ns, wall_);
  EXPECT_EQ(steady.boot_from_steady(steady.steady_ns()), boot_);
}

TEST_F(SteadyClockTest, StepsOfTheWallClockDoNotTouchIt) {
  auto steady = clock("boot-1");
  const int64_t begin = steady.steady_ns();
  pass(10 * kSecond);
  wall_ -= 365 * kDay;
  EXPECT_EQ(steady.steady_ns(), begin + 10 * kSecond);
  wall_ += 3650 * kDay;
  EXPECT_EQ(steady.steady_ns(), begin + 10 * kSecond);
}

TEST_F(SteadyClockTest, GoesOnOverARestartOfTheDaemonAsIfThereHadBeenNone) {
  auto before = clock("boot-1");
  const StateRow row = before.row();
  pass(100 * kSecond);
  wall_ += kDay;
  auto after = clock("boot-1");
  ASSERT_TRUE(after.restore({row}));
  EXPECT_EQ(after.steady_ns(), before.steady_ns());
}

TEST_F(SteadyClockTest, NeverGoesBackOverARebootAndStandsStillWhileTheMachineIsOff) {
  auto before = clock("boot-1");
  pass(5000 * kSecond);
  const StateRow row = before.row();
  const int64_t last = before.steady_ns();
  for (int64_t wall : {wall_ + 3 * kDay, wall_ - 400 * kDay, int64_t{0}}) {
    wall_ = wall;
    boot_ = 20 * kSecond;
    auto after = clock("boot-2");
    ASSERT_TRUE(after.restore({row}));
    EXPECT_EQ(after.steady_ns(), last + 20 * kSecond);
    boot_ += 7 * kSecond;
    EXPECT_EQ(after.steady_ns(), last + 27 * kSecond);
    auto again = clock("boot-3");
    ASSERT_TRUE(again.restore({after.row()}));
    EXPECT_GE(again.steady_ns(), after.steady_ns());
  }
}

TEST_F(SteadyClockTest, AMachineTakenBackToASnapshotDoesNotTakeItBack) {
  auto before = clock("boot-1");
  pass(5000 * kSecond);
  const StateRow row = before.row();
  boot_ -= 4000 * kSecond;
  auto after = clock("boot-1");
  const int64_t last = before.steady_ns() + 4000 * kSecond;
  ASSERT_TRUE(after.restore({row}));
  EXPECT_EQ(after.steady_ns(), last);
}

TEST_F(SteadyClockTest, ARowThatCannotBeReadIsSaidAndItBeginsAnew) {
  for (const char* doc : {"", "[]", R"({"boot_id":"boot-1","base":"x","steady":1})"}) {
    auto steady = clock("boot-1");
    EXPECT_FALSE(steady.restore({{"clock", "steady", doc}})) << doc;
    EXPECT_EQ(steady.steady_ns(), wall_);
  }
}

TEST(SystemClock, ReadsTheKernelsClocks) {
  const Clock clock = system_clock();
  EXPECT_GT(clock.wall_ns(), int64_t{1600000000} * kSecond);
  const int64_t before = clock.boot_ns();
  EXPECT_GE(clock.boot_ns(), before);
  (void)clock.synchronised();
}

}  // namespace
}  // namespace fmd::steady_clock_test
