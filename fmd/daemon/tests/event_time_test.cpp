#include "fmd/daemon/event_time.h"

#include <gtest/gtest.h>

namespace fmd::event_time_test {
namespace {

constexpr int64_t kNow = 1795229329'123456789;
constexpr int64_t kDay = 86400LL * 1000000000;

TEST(EventTime, NanosecondsOfThePastAreTaken) {
  EXPECT_EQ(event_time_trouble(kNow, kNow), "");
  EXPECT_EQ(event_time_trouble(kNow - 30 * 365 * kDay, kNow), "") << "a log that was never read";
  EXPECT_EQ(event_time_trouble(kNow + kDay, kNow), "") << "a clock that is a day ahead";
  EXPECT_EQ(event_time_trouble(0, kNow), "");
}

TEST(EventTime, AnotherUnitIsRefusedWithWhatWasMeant) {
  EXPECT_EQ(event_time_trouble(1795229329, kNow),
            "\"time\" is 1795229329, which looks like seconds; it must be nanoseconds since 1970 "
            "(1795229329000000000)");
  EXPECT_NE(event_time_trouble(1795229329123, kNow).find("milliseconds"), std::string::npos);
  EXPECT_NE(event_time_trouble(1795229329123456, kNow).find("microseconds"), std::string::npos);
}

TEST(EventTime, FarAheadIsRefused) {
  const std::string why = event_time_trouble(kNow + 400 * kDay, kNow);
  EXPECT_NE(why.find("400 days ahead of this machine's clock"), std::string::npos) << why;
  EXPECT_NE(event_time_trouble(INT64_MAX, kNow), "");
}

TEST(EventTime, AMachineWhoseClockStandsAt1970) {
  EXPECT_EQ(event_time_trouble(5'000'000'000, 6'000'000'000), "");
  EXPECT_EQ(event_time_trouble(3, 4'000'000'000), "");
}

}  // namespace
}  // namespace fmd::event_time_test
