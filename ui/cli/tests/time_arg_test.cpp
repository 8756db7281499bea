#include "ui/cli/time_arg.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "ui/cli/layout.h"

namespace fmd::cli {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kNow = 1'795'229'329 * kSecond;  // 2026-11-21 02:48:49 UTC

class TimeArg : public testing::Test {
 protected:
  TimeArg() {
    setenv("TZ", "UTC", 1);
    tzset();
  }
  static int64_t seconds(std::string_view text) {
    const auto time = parse_time(text, kNow);
    EXPECT_TRUE(time) << text;
    return time ? *time / kSecond : 0;
  }
};

TEST_F(TimeArg, Dates) {
  EXPECT_EQ(seconds("2026-11-21"), 1'795'219'200);
  EXPECT_EQ(seconds("2026-11-21 01:00"), 1'795'222'800);
  EXPECT_EQ(seconds("2026-11-21T01:00:05"), 1'795'222'805);
  EXPECT_EQ(seconds("2026-11-21T01:00:05Z"), 1'795'222'805);
}

TEST_F(TimeArg, LocalUnlessUtcIsSaid) {
  setenv("TZ", "UTC-2", 1);  // two hours ahead
  tzset();
  EXPECT_EQ(seconds("2026-11-21T01:00:05"), 1'795'222'805 - 7200);
  EXPECT_EQ(seconds("2026-11-21T01:00:05Z"), 1'795'222'805);
}

TEST_F(TimeArg, DistancesAndWords) {
  EXPECT_EQ(seconds("now"), kNow / kSecond);
  EXPECT_EQ(seconds("10min ago"), kNow / kSecond - 600);
  EXPECT_EQ(seconds("10min"), kNow / kSecond - 600);
  EXPECT_EQ(seconds("today"), 1'795'219'200);
  EXPECT_EQ(seconds("yesterday"), 1'795'219'200 - 86400);
}

TEST_F(TimeArg, ATimeOfDayIsTheLastOne) {
  EXPECT_EQ(seconds("02:00"), 1'795'226'400);
  EXPECT_EQ(seconds("02:00:07"), 1'795'226'407);
  EXPECT_EQ(seconds("14:30"), 1'795'271'400 - 86400);  // not reached yet today
}

TEST_F(TimeArg, NonsenseIsRefusedAndShownEscaped) {
  for (const char* text :
       {"", "teatime", "2026-13-01", "25:00", "10min later", "2026-11-21x", "-5min"})
    EXPECT_FALSE(parse_time(text, kNow)) << text;
  EXPECT_NE(parse_time("\x1b[2J", kNow).error().message.find("\\x1b"), std::string::npos);
}

TEST(Layout, WrapsWordsAndKeepsLongOnesWhole) {
  const std::string longest(100, 'x');
  EXPECT_EQ(wrapped("Name : ", "a " + longest + " b", 7),
            "Name : a\n       " + longest + "\n       b\n");
  EXPECT_EQ(wrapped("Name : ", "", 7), "Name :\n");
}

TEST(Layout, WideAndCombiningCharacters) {
  EXPECT_EQ(columns("abc"), 3u);
  EXPECT_EQ(columns("\u78c1\u76d8"), 4u);
  EXPECT_EQ(columns("e\u0301"), 1u);
  EXPECT_EQ(pad("\u78c1", 4), "\u78c1  ");
}

TEST(Layout, ATableWithoutRoomPutsItsLastColumnBelow) {
  Table table({"NAME", "TEXT"});
  table.add({std::string(70, 'n'), "some words that are long enough to be put below"});
  EXPECT_EQ(table.text(), "NAME\n    TEXT\n" + std::string(70, 'n') +
                              "\n    some words that are long enough to be put below\n");
}

}  // namespace
}  // namespace fmd::cli
