#include "ui/tray/chart_axes.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <optional>

#include "ui/tray/sparkline.h"

namespace fmd::tray {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;

QString unit_words(const std::string& unit) {
  return unit == "bytes/s" ? QString("MiB/s") : figure_text(0, unit).mid(2);
}

// The axis title: the readings and the unit. If all lines have one reading, the chart names it.
QString title_of(const std::vector<ChartLine>& lines, const std::string& unit) {
  const QString words = unit_words(unit);
  if (std::all_of(lines.begin(), lines.end(),
                  [&](const ChartLine& line) { return line.reading == lines.front().reading; }))
    return words;
  QStringList readings;
  for (const ChartLine& line : lines)
    if (const QString reading = reading_words(line.reading);
        line.unit == unit && !readings.contains(reading))
      readings << reading;
  const QString all = readings.join(", ");
  return words.isEmpty() ? all : QString("%1 (%2)").arg(all, words);
}

// Keeps lines off the edges, except at zero for values that are never negative.
void add_margin(ValueAxis& axis) {
  const double range = axis.most - axis.least;
  const double margin = range > 0 ? range * 0.05 : std::max(1.0, std::abs(axis.most) * 0.1);
  axis.least = axis.least >= 0 ? std::max(0.0, axis.least - margin) : axis.least - margin;
  axis.most += margin;
}

}  // namespace

TimeSpan span_of(const std::vector<ChartLine>& lines) {
  constexpr int64_t kLeastNs = 600'000'000'000;
  std::optional<TimeSpan> span;
  for (const ChartLine& line : lines) {
    if (line.points.empty()) continue;
    if (!span) span = TimeSpan{line.points.front().first, line.points.back().first};
    span->from_ns = std::min(span->from_ns, line.points.front().first);
    span->to_ns = std::max(span->to_ns, line.points.back().first);
  }
  if (!span) return {};
  span->from_ns = std::min(span->from_ns, span->to_ns - kLeastNs);
  return *span;
}

std::vector<ValueAxis> value_axes(const std::vector<ChartLine>& lines, const TimeSpan& view) {
  std::vector<ValueAxis> axes;
  for (const ChartLine& line : lines) {
    if (line.points.empty()) continue;
    auto axis = std::find_if(axes.begin(), axes.end(),
                             [&](const ValueAxis& one) { return one.unit == line.unit; });
    const size_t first = point_at(line.points, view.from_ns);
    const size_t last = point_at(line.points, view.to_ns);
    if (axis == axes.end()) {
      const double per_one = line.unit == "bytes/s" ? kMiB : 1;
      const double value = line.points[first].second / per_one;
      axis = axes.insert(axis, {line.unit, {}, per_one, value, value});
    }
    for (size_t n = first; n <= last; ++n) {
      const double value = line.points[n].second / axis->per_one;
      axis->least = std::min(axis->least, value);
      axis->most = std::max(axis->most, value);
    }
  }
  for (ValueAxis& axis : axes) {
    add_margin(axis);
    axis.title = title_of(lines, axis.unit);
  }
  return axes;
}

}  // namespace fmd::tray
