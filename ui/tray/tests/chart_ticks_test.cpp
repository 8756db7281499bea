#include "ui/tray/chart_ticks.h"

#include <gtest/gtest.h>

#include <QDateTime>
#include <QTimeZone>
#include <cmath>

namespace fmd::tray {
namespace {

std::string labels(const ValueScale& scale) {
  QStringList all;
  for (const double value : scale.ticks()) all << scale.label(value);
  return all.join(' ').remove(',').toStdString();
}

// The ticks from a local time, for that many seconds: "text/context text ...".
std::string times(const char* zone, const char* from, int64_t seconds, int ticks) {
  const QTimeZone there(zone);
  QDateTime begin = QDateTime::fromString(from, Qt::ISODate);
  begin.setTimeZone(there);
  const int64_t from_ns = begin.toMSecsSinceEpoch() * 1'000'000;
  QStringList all;
  for (const TimeTick& tick : time_ticks(from_ns, from_ns + seconds * 1'000'000'000, ticks, there))
    all << tick.text + (tick.context.isEmpty() ? "" : "/" + tick.context);
  return all.join(' ').toStdString();
}

constexpr int64_t kHour = 3600, kDay = 24 * kHour;

TEST(ChartTicks, ValuesAreRound) {
  EXPECT_EQ(labels(value_scale(29.5, 33.2, 6, false)), "29 30 31 32 33 34");
  EXPECT_EQ(labels(value_scale(0, 7350, 6, false)), "0 2000 4000 6000 8000");
  EXPECT_EQ(labels(value_scale(0.12, 0.18, 5, false)), "0.12 0.14 0.16 0.18");
  EXPECT_EQ(labels(value_scale(-0.4, 0.4, 2, false)), "-0.5 0.0 0.5") << "three at least";
}

TEST(ChartTicks, CountsHaveNoHalves) {
  EXPECT_EQ(labels(value_scale(0, 1, 9, true)), "0 1");
  EXPECT_EQ(labels(value_scale(0, 1, 3, false)), "0.0 0.5 1.0");
}

TEST(ChartTicks, AScaleContainsItsValuesAndKeepsToItsRoom) {
  for (double size = 1e-6; size < 1e15; size *= 3.7)
    for (const double from : {-2.3, -0.1, 0.0, 0.37, 51.0})
      for (const int room : {0, 3, 7, 20}) {
        const ValueScale scale = value_scale(from * size, (from + 1.1) * size, room, false);
        EXPECT_LE(scale.least, from * size + 1e-6 * size);
        EXPECT_GE(scale.most, (from + 1.1) * size - 1e-6 * size);
        EXPECT_LE(static_cast<int>(scale.ticks().size()), std::max(3, room));
        EXPECT_GE(scale.ticks().size(), 2u);
      }
  EXPECT_GT(value_scale(5, 5, 5, false).most, 5) << "one value has a scale";
}

TEST(ChartTicks, TimesAreRoundAndNameTheirDay) {
  EXPECT_EQ(times("UTC", "2026-11-28T21:10:00", 4 * kHour, 6),
            "22:00/Nov 28 23:00 00:00/Nov 29 01:00");
  EXPECT_EQ(times("UTC", "2026-11-28T21:10:00", 600, 6),
            "21:10/Nov 28 21:12 21:14 21:16 21:18 21:20");
  EXPECT_EQ(times("UTC", "2026-11-28T21:10:04", 10, 6),
            "21:10:04/Nov 28 21:10:06 21:10:08 "
            "21:10:10 21:10:12 21:10:14");
  EXPECT_EQ(times("UTC", "2026-11-28T21:10:00", kDay, 5), "00:00/Nov 29 06:00 12:00 18:00");
}

TEST(ChartTicks, DaysNameTheirYearAndWeeksBeginOnMonday) {
  EXPECT_EQ(times("UTC", "2026-12-30T12:00:00", 4 * kDay, 5), "Dec 31/2026 Jan 1/2027 Jan 2 Jan 3");
  EXPECT_EQ(times("UTC", "2026-11-28T12:00:00", 28 * kDay, 5), "Nov 30/2026 Dec 7 Dec 14 Dec 21");
  EXPECT_EQ(times("UTC", "2026-11-28T12:00:00", 366 * kDay, 5), "Jan/2027 Apr Jul Oct");
  EXPECT_EQ(times("UTC", "2020-11-28T12:00:00", 5 * 366 * kDay, 8), "2021 2022 2023 2024 2025");
}

TEST(ChartTicks, TimesAreLocal) {
  EXPECT_EQ(times("Asia/Kolkata", "2026-11-28T21:10:00", 4 * kHour, 6),
            "22:00/Nov 28 23:00 00:00/Nov 29 01:00");
}

// In Berlin the clock goes from 2 to 3 on March 29, and from 3 to 2 on October 25.
TEST(ChartTicks, TheClockMayChange) {
  EXPECT_EQ(times("Europe/Berlin", "2026-03-28T18:00:00", 17 * kHour, 4),
            "18:00/Mar 28 00:00/Mar 29 06:00 12:00");
  EXPECT_EQ(times("Europe/Berlin", "2026-03-29T00:00:00", 4 * kHour, 4),
            "00:00/Mar 29 01:00 03:00 04:00 05:00");
  EXPECT_EQ(times("Europe/Berlin", "2026-10-25T00:00:00", 4 * kHour, 4),
            "00:00/Oct 25 01:00 02:00 02:00 03:00");
  EXPECT_EQ(times("Europe/Berlin", "2026-10-24T12:00:00", 2 * kDay, 4),
            "12:00/Oct 24 00:00/Oct 25 12:00 00:00/Oct 26");
}

TEST(ChartTicks, EverySpanHasAscendingTicksWithinIt) {
  const QTimeZone zone("America/New_York");
  const int64_t from = 1'795'229'329'000'000'000;
  for (int64_t seconds = 10; seconds < 9 * 366 * kDay; seconds = seconds * 3 / 2)
    for (const int room : {1, 4, 12}) {
      const auto ticks = time_ticks(from, from + seconds * 1'000'000'000, room, zone);
      EXPECT_LE(static_cast<int>(ticks.size()), 2 * room + 1) << seconds;
      EXPECT_TRUE(room == 1 || ticks.size() >= 1) << seconds;
      int64_t before = from - 1;
      for (const TimeTick& tick : ticks) {
        EXPECT_GT(tick.time_ns, before);
        EXPECT_LE(tick.time_ns, from + seconds * 1'000'000'000);
        before = tick.time_ns;
      }
    }
  EXPECT_TRUE(time_ticks(5, 5, 10, zone).empty());
}

}  // namespace
}  // namespace fmd::tray
