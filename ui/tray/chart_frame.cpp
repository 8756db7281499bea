#include "ui/tray/chart_frame.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPalette>
#include <QTimeZone>
#include <algorithm>
#include <cmath>

#include "ui/tray/looks.h"

namespace fmd::tray {
namespace {

constexpr double kPadding = 6, kTickLength = 4;        // pixels
constexpr double kLeastPlot = 0.5;                     // share of the chart's width
constexpr double kGridShare = 0.22, kEdgeShare = 0.6;  // share of the text's colour

QFont bold(QFont font) {
  font.setBold(true);
  return font;
}

// The widest time label, which is about as wide as a date.
double time_label_width(const QFontMetricsF& metrics) {
  return metrics.horizontalAdvance("00:00:00");
}

}  // namespace

void ChartFrame::arrange(const QRectF& room, const QFont& font, const QString& title,
                         const TimeSpan& span, std::vector<ValueAxis> axes) {
  const QFontMetricsF metrics(font);
  room_ = room;
  title_ = title;
  span_ = span;
  axes_ = std::move(axes);
  line_ = metrics.height();
  // Below: half a line for the label of the lowest value, and two lines for times and days.
  plot_ = room.adjusted(kPadding, kPadding + line_ * (title.isEmpty() ? 0.5 : 1.7), -kPadding,
                        -kPadding - line_ * 2.5);
  const int rows = static_cast<int>(plot_.height() / (2.2 * line_));
  for (ValueAxis& axis : axes_)
    axis.scale = value_scale(axis.least, axis.most, rows, axis.unit == "count");
  place_axes(font);
  const int columns =
      static_cast<int>(plot_.width() / (time_label_width(metrics) + metrics.averageCharWidth()));
  times_ = time_ticks(span.from_ns, span.to_ns, columns, QTimeZone::systemTimeZone());
}

void ChartFrame::place_axes(const QFont& font) {
  const QFontMetricsF metrics(font);
  double left = room_.left() + kPadding, right = room_.right() - kPadding;
  for (size_t i = 0; i < axes_.size(); ++i) {
    ValueAxis& axis = axes_[i];
    double width = 0;
    for (const double value : axis.scale.ticks())
      width = std::max(width, metrics.horizontalAdvance(axis.scale.label(value)));
    width += kTickLength + kPadding + (axis.title.isEmpty() ? 0 : line_ + kPadding);
    if (i == 0) {
      axis.room = QRectF(left, plot_.top(), width, plot_.height());
      left += width;
      continue;
    }
    const double outer = right - (i > 1 ? 2 * kPadding : 0);  // from its title to the previous axis
    if (outer - width - left < kLeastPlot * room_.width()) break;
    right = outer - width;
    axis.room = QRectF(right, plot_.top(), width, plot_.height());
  }
  // Half of the first and last time labels is outside the plot.
  const double half = time_label_width(metrics) / 2;
  plot_.setLeft(std::max(left, room_.left() + half));
  plot_.setRight(std::max(plot_.left(), std::min(right, room_.right() - half)));
  for (size_t i = 0; i < axes_.size(); ++i)
    axes_[i].room.translate(i == 0 ? plot_.left() - left : plot_.right() - right, 0);
}

double ChartFrame::x_of(int64_t time_ns) const {
  const auto length = static_cast<double>(std::max<int64_t>(1, span_.length()));
  return plot_.left() + plot_.width() * static_cast<double>(time_ns - span_.from_ns) / length;
}

int64_t ChartFrame::time_at(double x) const {
  const double share = plot_.width() > 0 ? (x - plot_.left()) / plot_.width() : 0;
  return span_.from_ns + static_cast<int64_t>(share * static_cast<double>(span_.length()));
}

double ChartFrame::y_of(double value, const ValueAxis& axis) const {
  const auto& [least, most, step] = axis.scale;
  return plot_.bottom() - plot_.height() * (value - least) / (most - least);
}

void ChartFrame::paint(QPainter& painter, const QPalette& palette) const {
  const QColor text = palette.color(QPalette::Text), base = palette.color(QPalette::Base);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(mixed(text, base, kGridShare));
  for (const TimeTick& tick : times_) {
    const double x = std::round(x_of(tick.time_ns));
    painter.drawLine(QPointF(x, plot_.top()), QPointF(x, plot_.bottom()));
  }
  if (!axes_.empty())  // only the first axis has a grid: several would be unreadable
    for (const double value : axes_.front().scale.ticks()) {
      const double y = std::round(y_of(value, axes_.front()));
      painter.drawLine(QPointF(plot_.left(), y), QPointF(plot_.right(), y));
    }
  painter.setPen(mixed(text, base, kEdgeShare));
  if (!axes_.empty()) painter.drawLine(plot_.bottomLeft(), plot_.bottomRight());
  painter.setPen(text);
  for (size_t i = 0; i < axes_.size(); ++i)
    if (!axes_[i].room.isNull()) paint_value_axis(painter, axes_[i], i == 0);
  paint_time_axis(painter);
  painter.setFont(bold(painter.font()));
  const QRectF top(room_.left() + kPadding, room_.top() + kPadding, room_.width() - 2 * kPadding,
                   line_);
  painter.drawText(top, Qt::AlignCenter,
                   QFontMetricsF(painter.font()).elidedText(title_, Qt::ElideRight, top.width()));
  painter.restore();
}

void ChartFrame::paint_value_axis(QPainter& painter, const ValueAxis& axis, bool left) const {
  const QRectF& room = axis.room;
  const double edge = left ? room.right() : room.left(), outward = left ? -1 : 1;
  painter.drawLine(QPointF(edge, room.top()), QPointF(edge, room.bottom()));
  for (const double value : axis.scale.ticks()) {
    const double y = std::round(y_of(value, axis));
    painter.drawLine(QPointF(edge, y), QPointF(edge + outward * kTickLength, y));
    QRectF label(0, y - line_ / 2, room.width() - kTickLength - kPadding / 2, line_);
    if (left)
      label.moveRight(edge - kTickLength - kPadding / 2);
    else
      label.moveLeft(edge + kTickLength + kPadding / 2);
    painter.drawText(label, Qt::AlignVCenter | (left ? Qt::AlignRight : Qt::AlignLeft),
                     axis.scale.label(value));
  }
  painter.save();
  painter.translate(left ? room.left() + line_ / 2 : room.right() - line_ / 2, room.center().y());
  painter.rotate(-90);
  painter.drawText(
      QRectF(-room.height() / 2, -line_ / 2, room.height(), line_), Qt::AlignCenter,
      QFontMetricsF(painter.font()).elidedText(axis.title, Qt::ElideRight, room.height()));
  painter.restore();
}

void ChartFrame::paint_time_axis(QPainter& painter) const {
  const double top = plot_.bottom() + line_ / 2;
  const double width = 2 * time_label_width(QFontMetricsF(painter.font()));
  for (const TimeTick& tick : times_) {
    const double x = std::round(x_of(tick.time_ns));
    painter.drawLine(QPointF(x, plot_.bottom()), QPointF(x, plot_.bottom() + kTickLength));
    const QRectF label(x - width / 2, top, width, line_);
    painter.drawText(label, Qt::AlignCenter, tick.text);
    painter.drawText(label.translated(0, line_), Qt::AlignCenter, tick.context);
  }
}

}  // namespace fmd::tray
