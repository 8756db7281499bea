// ChartAxes: the value axes for a set of lines, one per unit, and the range of each. Pure.
#pragma once
#include <QRectF>
#include <QString>
#include <string>
#include <vector>

#include "ui/tray/chart_lines.h"
#include "ui/tray/chart_ticks.h"

namespace fmd::tray {

struct TimeSpan {
  int64_t from_ns = 0, to_ns = 0;
  int64_t length() const { return to_ns - from_ns; }
  bool operator==(const TimeSpan&) const = default;
};
// From the first to the last point, at least ten minutes; empty without points.
TimeSpan span_of(const std::vector<ChartLine>& lines);

struct ValueAxis {
  std::string unit;
  QString title = {};
  double per_one = 1;          // units per axis unit: bytes/s for an axis in MiB/s
  double least = 0, most = 1;  // the range to show
  // Set by ChartFrame:
  ValueScale scale = {};
  QRectF room = {};  // for labels and title; null if the axis does not fit
};
// In the order of the lines; the ranges fit the values within the view.
std::vector<ValueAxis> value_axes(const std::vector<ChartLine>& lines, const TimeSpan& view);

}  // namespace fmd::tray
