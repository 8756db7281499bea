// ChartAxes: which value axes a chart of these lines needs, one per unit, and the values each has to show. Pure.
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
  double per_one = 1;          // how many of the unit the axis counts as one: bytes/s in MiB/s
  double least = 0, most = 1;  // what it has to show
  // Set by ChartFrame:
  ValueScale scale = {};
  QRectF room = {};  // of labels and title; null if there is no room for this axis
};
// In the order of the lines. They fit the values within the view.
std::vector<ValueAxis> value_axes(const std::vector<ChartLine>& lines, const TimeSpan& view);

}  // namespace fmd::tray
