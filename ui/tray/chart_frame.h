// ChartFrame: the title, axes and plot area of a chart, and the positions of times and values.
// Owned by TimeChart, which arranges it for each size, font, view and set of lines. Does not paint
// lines.
#pragma once
#include <QFont>
#include <QRectF>
#include <QString>
#include <vector>

#include "ui/tray/chart_axes.h"

class QPainter;
class QPalette;

namespace fmd::tray {

class ChartFrame {
 public:
  // The first axis is on the left, the others are on the right.
  void arrange(const QRectF& room, const QFont& font, const QString& title, const TimeSpan& span,
               std::vector<ValueAxis> axes);
  void paint(QPainter& painter, const QPalette& palette) const;

  const QRectF& plot() const { return plot_; }
  const std::vector<ValueAxis>& axes() const { return axes_; }
  double x_of(int64_t time_ns) const;
  int64_t time_at(double x) const;
  double y_of(double value, const ValueAxis& axis) const;  // value: in the axis's scale

 private:
  void place_axes(const QFont& font);
  void paint_value_axis(QPainter& painter, const ValueAxis& axis, bool left) const;
  void paint_time_axis(QPainter& painter) const;

  QRectF room_, plot_;
  QString title_;
  TimeSpan span_;
  std::vector<ValueAxis> axes_;
  std::vector<TimeTick> times_;
  double line_ = 0;  // height of a line of text
};

}  // namespace fmd::tray
