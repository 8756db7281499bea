#include "ui/tray/chart_ticks.h"

#include <QDateTime>
#include <QLocale>
#include <QTimeZone>
#include <algorithm>
#include <cmath>

namespace fmd::tray {
namespace {

constexpr int64_t kMs = 1'000'000, kHourMs = 3'600'000, kDayMs = 24 * kHourMs;  // kMs: ns

// The smallest 1, 2 or 5 times a power of ten that is at least `step`.
double rounded_up(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

struct TimeStep {
  enum Unit { ms, hours, months } unit;
  int64_t count;
};

int64_t length_ms(const TimeStep& step) {
  constexpr int64_t kLongestMonth = 31 * kDayMs;
  return step.count * (step.unit == TimeStep::ms      ? 1
                       : step.unit == TimeStep::hours ? kHourMs
                                                      : kLongestMonth);
}

TimeStep time_step(int64_t span_ms, int ticks) {
  constexpr int64_t kSecond = 1000, kMinute = 60'000;
  for (const int64_t n : {1, 2, 5, 10, 15, 30})
    if (n * kSecond * ticks >= span_ms) return {TimeStep::ms, n * kSecond};
  for (const int64_t n : {1, 2, 5, 10, 15, 30, 60})
    if (n * kMinute * ticks >= span_ms) return {TimeStep::ms, n * kMinute};
  for (const int64_t n : {2, 3, 6, 12, 24, 2 * 24, 4 * 24, 7 * 24, 14 * 24})
    if (n * kHourMs * ticks >= span_ms) return {TimeStep::hours, n};
  for (const int64_t n : {1, 2, 3, 6, 12, 24, 60})
    if (length_ms({TimeStep::months, n}) * ticks >= span_ms) return {TimeStep::months, n};
  return {TimeStep::months, 120};
}

// Hours and months vary in length when the clock changes, so they are counted on the local
// calendar: hours since Julian day 0 (a Monday), months since the year 0.
int64_t calendar_index(const TimeStep& step, const QDateTime& local) {
  const QDate date = local.date();
  return (step.unit == TimeStep::hours ? date.toJulianDay() * 24 + local.time().hour()
                                       : date.year() * 12LL + date.month() - 1) /
         step.count;
}

QDateTime calendar_time(const TimeStep& step, int64_t index, const QTimeZone& zone) {
  const int64_t at = index * step.count;
  if (step.unit == TimeStep::hours)
    return {QDate::fromJulianDay(at / 24), QTime(static_cast<int>(at % 24), 0), zone};
  return QDate(static_cast<int>(at / 12), static_cast<int>(at % 12) + 1, 1).startOfDay(zone);
}

std::vector<QDateTime> tick_times(const TimeStep& step, int64_t from_ms, int64_t to_ms,
                                  const QTimeZone& zone) {
  std::vector<QDateTime> times;
  const QDateTime from = QDateTime::fromMSecsSinceEpoch(from_ms, zone);
  if (step.unit == TimeStep::ms) {
    // Offsets from UTC are whole quarters of an hour, so one offset is right on both sides of a
    // clock change.
    const int64_t local = from_ms + from.offsetFromUtc() * int64_t{1000};
    const int64_t past = (local % step.count + step.count) % step.count;
    for (int64_t at = past == 0 ? from_ms : from_ms + step.count - past; at <= to_ms;
         at += step.count)
      times.push_back(QDateTime::fromMSecsSinceEpoch(at, zone));
    return times;
  }
  for (int64_t index = calendar_index(step, from);; ++index) {
    const QDateTime at = calendar_time(step, index, zone);
    if (at.toMSecsSinceEpoch() > to_ms) return times;
    if (at >= from) times.push_back(at);
  }
}

struct Formats {
  const char *text, *context;
};

Formats formats_of(const TimeStep& step) {
  if (step.unit == TimeStep::months)
    return step.count % 12 == 0 ? Formats{"yyyy", ""} : Formats{"MMM", "yyyy"};
  if (length_ms(step) >= kDayMs) return {"MMM d", "yyyy"};
  return {length_ms(step) >= 60'000 ? "HH:mm" : "HH:mm:ss", "MMM d"};
}

}  // namespace

std::vector<double> ValueScale::ticks() const {
  std::vector<double> ticks;
  const double first = std::round(least / step), last = std::round(most / step);
  for (double n = 0; n <= last - first; ++n) ticks.push_back((first + n) * step);
  return ticks;
}

QString ValueScale::label(double value) const {
  constexpr int kMostDecimals = 6;
  const int decimals = static_cast<int>(-std::floor(std::log10(step) + 1e-9));
  return QLocale().toString(value, 'f', std::clamp(decimals, 0, kMostDecimals));
}

ValueScale value_scale(double least, double most, int ticks, bool whole) {
  ticks = std::max(3, ticks);  // around zero: -1, 0, 1
  if (!(most > least)) most = least + 1;
  double step = rounded_up((most - least) / (ticks - 1));
  if (whole) step = std::max(1.0, step);
  for (;; step = rounded_up(step * 1.5)) {
    const double first = std::floor(least / step + 1e-9), last = std::ceil(most / step - 1e-9);
    if (last - first < ticks) return {first * step, last * step, step};
  }
}

std::vector<TimeTick> time_ticks(int64_t from_ns, int64_t to_ns, int ticks, const QTimeZone& zone) {
  std::vector<TimeTick> all;
  if (to_ns <= from_ns) return all;
  const TimeStep step = time_step((to_ns - from_ns) / kMs, std::max(1, ticks));
  const auto [text, context] = formats_of(step);
  const QLocale locale;
  QString before;
  for (const QDateTime& at : tick_times(step, from_ns / kMs, to_ns / kMs, zone)) {
    const QString now = *context ? locale.toString(at, context) : QString();
    all.push_back(
        {at.toMSecsSinceEpoch() * kMs, locale.toString(at, text), now == before ? QString() : now});
    before = now;
  }
  return all;
}

}  // namespace fmd::tray
