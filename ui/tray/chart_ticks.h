// Ticks of a chart's axes: round values, and round times of a time zone. Pure.
#pragma once
#include <QString>
#include <cstdint>
#include <vector>

class QTimeZone;

namespace fmd::tray {

struct ValueScale {
  double least = 0, most = 1, step = 1;  // least and most are multiples of step
  std::vector<double> ticks() const;
  QString label(double value) const;  // with the decimals that the step needs
};
// A scale from at most `least` to at least `most`. ticks: how many fit; there are at least three.
// whole: the values are counts, so no half steps.
ValueScale value_scale(double least, double most, int ticks, bool whole);

struct TimeTick {
  int64_t time_ns = 0;
  QString text;     // "14:00", "Nov 28"
  QString context;  // day or year, on the first tick and where it changes; else ""
};
// In ascending order, within [from_ns, to_ns]. ticks: how many fit.
std::vector<TimeTick> time_ticks(int64_t from_ns, int64_t to_ns, int ticks, const QTimeZone& zone);

}  // namespace fmd::tray
