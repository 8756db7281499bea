#include "ui/tray/time_chart.h"

#include <QApplication>
#include <QDateTime>
#include <QKeyEvent>
#include <QLocale>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <QtCharts/QChart>
#include <QtCharts/QDateTimeAxis>
#include <QtCharts/QLegend>
#include <QtCharts/QLineSeries>
#include <QtCharts/QValueAxis>
#include <algorithm>
#include <cmath>

#include "ui/tray/canvas.h"
#include "ui/tray/looks.h"
#include "ui/tray/sparkline.h"
#include "ui/tray/stale.h"

namespace fmd::tray {
namespace {

constexpr qint64 kMs = 1'000'000;  // ns
constexpr double kReach = 24;      // pixels from the pointer to a line that it means

// What the axis has for one of it.
double scale_of(const std::string& unit) {
  return unit == "bytes/s" ? 1024.0 * 1024.0 : 1;
}

QString unit_words(const std::string& unit) {
  return unit == "bytes/s" ? QString("MiB/s") : figure_text(0, unit).mid(2);
}

}  // namespace

TimeChart::TimeChart(QWidget* parent) : QChartView(new QChart, parent) {
  chart()->setLocalizeNumbers(true);
  setRenderHint(QPainter::Antialiasing);
  setRubberBand(QChartView::HorizontalRubberBand);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Readings over time"));
  viewport()->setMouseTracking(true);
  chart()->legend()->hide();  // LineList is what keys and assistive technology reach
  chart()->setMargins({4, 4, 4, 4});
  follow_palette();
}

void TimeChart::follow_palette() {
  chart()->setTheme(is_dark(palette()) ? QChart::ChartThemeDark : QChart::ChartThemeLight);
  chart()->setBackgroundBrush(palette().base());
  setBackgroundBrush(palette().window());
  for (int i = 0; i < static_cast<int>(chart()->series().size()); ++i)
    static_cast<QLineSeries*>(chart()->series()[i])->setPen(pen(i, is_dark(palette())));
  const QBrush text = palette().text();
  chart()->setTitleBrush(text);
  for (QAbstractAxis* axis : chart()->axes()) {
    axis->setLabelsBrush(text);
    axis->setTitleBrush(text);
    axis->setGridLinePen(QPen(mixed(text.color(), palette().color(QPalette::Base), 0.22), 1));
    axis->setLinePen(QPen(mixed(text.color(), palette().color(QPalette::Base), 0.6), 1));
  }
}

QPen TimeChart::pen(int line, bool dark) {
  constexpr Qt::PenStyle kStyles[] = {Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
  QPen pen(line_colour(line, dark), 2);
  pen.setStyle(kStyles[line / kLineColours % static_cast<int>(std::size(kStyles))]);
  return pen;
}

void TimeChart::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) follow_palette();
}

void TimeChart::Range::add(double value) {
  least = any ? std::min(least, value) : value;
  most = any ? std::max(most, value) : value;
  any = true;
}

void TimeChart::clear() {
  chart()->removeAllSeries();
  for (QAbstractAxis* axis : chart()->axes()) {
    chart()->removeAxis(axis);
    delete axis;
  }
  value_axes_.clear();
  near_ = {};
}

// The first one on the left.
QValueAxis* TimeChart::axis_of(const std::string& unit) {
  QValueAxis*& axis = value_axes_[unit];
  if (axis) return axis;
  axis = new QValueAxis;
  const bool first = value_axes_.size() == 1;
  axis->setGridLineVisible(first);  // two grids over each other are none
  chart()->addAxis(axis, first ? Qt::AlignLeft : Qt::AlignRight);
  return axis;
}

void TimeChart::add_line(const ChartLine& line, Range& times, Range& values) {
  auto* series = new QLineSeries;
  series->setName(line.name.toHtmlEscaped());
  for (const auto& [time, figure] : line.points) {
    const auto at = static_cast<double>(time / kMs);
    const double value = figure / scale_of(line.unit);
    series->append(at, value);
    times.add(at);
    values.add(value);
  }
  chart()->addSeries(series);
  series->attachAxis(time_axis_);
  series->attachAxis(axis_of(line.unit));
}

void TimeChart::show_lines(const std::vector<ChartLine>& lines, const std::vector<FaultMark>& marks,
                           const QString& title) {
  clear();
  lines_.assign(lines.begin(),
                lines.begin() + static_cast<ptrdiff_t>(std::min(lines.size(), kMostLines)));
  marks_ = marks;
  chart()->setTitle(title);
  time_axis_ = new QDateTimeAxis;
  chart()->addAxis(time_axis_, Qt::AlignBottom);
  Range times;
  std::map<std::string, Range> values;
  for (const ChartLine& line : lines_) add_line(line, times, values[line.unit]);
  fit_axes(times, values);
  name_axes();
  follow_palette();  // what is new has the theme's own colours
}

void TimeChart::fit_axes(const Range& times, const std::map<std::string, Range>& values) {
  constexpr double kLeastSpan = 600'000, kTwoDays = 2.0 * 86'400'000;
  const double first = std::min(times.least, times.most - kLeastSpan);
  time_axis_->setRange(QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(first)),
                       QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(times.most)));
  time_axis_->setFormat(times.most - first > kTwoDays ? "MMM d" : "HH:mm");
  time_axis_->setTickCount(6);
  for (const auto& [unit, range] : values) {
    const double room = range.most > range.least ? (range.most - range.least) * 0.05
                                                 : std::max(1.0, std::abs(range.most) * 0.1);
    QValueAxis* axis = axis_of(unit);
    // What is never below nothing is not shown as if it could be.
    const double from = range.least - room;
    axis->setRange(range.least >= 0 ? std::max(0.0, from) : from, range.most + room);
    axis->applyNiceNumbers();
  }
}

// With several axes each says what it is of; of one the title does.
void TimeChart::name_axes() {
  for (const auto& [unit, axis] : value_axes_) {
    QStringList readings;
    for (const ChartLine& line : lines_)
      if (const QString words = reading_words(line.reading);
          line.unit == unit && !readings.contains(words))
        readings << words;
    const QString in = unit_words(unit);
    QString name = value_axes_.size() == 1 ? QString() : readings.join(", ");
    if (!in.isEmpty()) name = name.isEmpty() ? in : QString("%1 (%2)").arg(name, in);
    axis->setTitleText(name.toHtmlEscaped());
  }
}

void TimeChart::show_stale(const QString& words) {
  if (words == stale_) return;
  stale_ = words;
  near_ = {};  // the banner moves the picture away from under the pointer
  setAccessibleDescription(words);
  viewport()->update();
}

TimeChart::Near TimeChart::nearest(const QPointF& at) const {
  Near found;
  if (!chart()->plotArea().contains(at)) return found;
  double least = kReach;
  for (int i = 0; i < static_cast<int>(chart()->series().size()); ++i) {
    auto* line = static_cast<QLineSeries*>(chart()->series()[i]);
    const QList<QPointF> points = line->points();
    if (points.isEmpty()) continue;
    // The piece of the line that is there: from the last value before to the first one after.
    const double time = chart()->mapToValue(at, line).x();
    const auto after = std::lower_bound(points.begin(), points.end(), time,
                                        [](const QPointF& p, double t) { return p.x() < t; });
    const QPointF next = after == points.end() ? points.back() : *after;
    const QPointF before = after == points.begin() ? next : *(after - 1);
    const QPointF from = chart()->mapToPosition(before, line);
    const QPointF to = chart()->mapToPosition(next, line);
    const QPointF way = to - from;
    const double length = QPointF::dotProduct(way, way);
    const double share =
        length > 0 ? std::clamp(QPointF::dotProduct(at - from, way) / length, 0.0, 1.0) : 0;
    const QPointF off = at - (from + share * way);
    const double far = std::hypot(off.x(), off.y());
    if (far >= least) continue;
    least = far;
    const QPointF& measured = share < 0.5 ? before : next;
    found = {i, share < 0.5 ? from : to, static_cast<int64_t>(measured.x()) * kMs,
             measured.y() * scale_of(lines_[static_cast<size_t>(i)].unit)};
  }
  return found;
}

void TimeChart::tell(const Near& near, const QPoint& where) {
  if (near.line == near_.line && near.time_ns == near_.time_ns) return;
  near_ = near;
  viewport()->update();
  if (near.line < 0) return QToolTip::hideText();
  const ChartLine& line = lines_[static_cast<size_t>(near.line)];
  const QString time =
      QLocale().toString(QDateTime::fromMSecsSinceEpoch(near.time_ns / kMs), QLocale::ShortFormat);
  const QString says = tr("%1: %2, %3").arg(line.name, figure_text(near.value, line.unit), time);
  QToolTip::showText(where, "<qt>" + says.toHtmlEscaped() + "</qt>", viewport());
}

void TimeChart::mouseMoveEvent(QMouseEvent* event) {
  QChartView::mouseMoveEvent(event);
  if (event->buttons() == Qt::NoButton)
    tell(nearest(event->position()), event->globalPosition().toPoint());
}

// The scene has no tool tips, and would take ours away.
bool TimeChart::viewportEvent(QEvent* event) {
  return event->type() == QEvent::ToolTip || QChartView::viewportEvent(event);
}

void TimeChart::leaveEvent(QEvent* event) {
  QChartView::leaveEvent(event);
  tell({}, {});
}

void TimeChart::mousePressEvent(QMouseEvent* event) {
  pressed_ = event->position().toPoint();
  QChartView::mousePressEvent(event);
}

// The view takes each press for the beginning of a rubber band: without the band a click zooms nothing.
void TimeChart::mouseReleaseEvent(QMouseEvent* event) {
  const QPointF at = event->position();
  const bool moved =
      (at.toPoint() - pressed_).manhattanLength() >= QApplication::startDragDistance();
  if (event->button() != Qt::LeftButton || moved || !chart()->plotArea().contains(at))
    return QChartView::mouseReleaseEvent(event);
  setRubberBand(QChartView::NoRubberBand);
  setRubberBand(QChartView::HorizontalRubberBand);
  const Near hit = nearest(at);
  if (hit.line >= 0)
    emit line_chosen(QString::fromStdString(lines_[static_cast<size_t>(hit.line)].key));
}

void TimeChart::wheelEvent(QWheelEvent* event) {
  const QRectF area = chart()->plotArea();
  const double factor = event->angleDelta().y() > 0 ? 0.8 : 1.25;
  const double at = std::clamp(event->position().x(), area.left(), area.right());
  QRectF next = area;
  next.setLeft(at - (at - area.left()) * factor);
  next.setRight(at + (area.right() - at) * factor);
  chart()->zoomIn(next);
  event->accept();
}

void TimeChart::keyPressEvent(QKeyEvent* event) {
  const double step = chart()->plotArea().width() / 10;
  switch (event->key()) {
    case Qt::Key_Left:
      return chart()->scroll(-step, 0);
    case Qt::Key_Right:
      return chart()->scroll(step, 0);
    case Qt::Key_Plus:
      return chart()->zoomIn();
    case Qt::Key_Minus:
      return chart()->zoomOut();
    case Qt::Key_0:
      return chart()->zoomReset();
    default:
      QChartView::keyPressEvent(event);
  }
}

void TimeChart::drawForeground(QPainter* painter, const QRectF& rect) {
  QChartView::drawForeground(painter, rect);
  const QRectF area = chart()->plotArea();
  painter->save();
  if (!chart()->series().isEmpty()) draw_marks(*painter, area);
  if (near_.line >= 0) {
    painter->setPen(QPen(pen(near_.line, is_dark(palette())).color(), 2));
    painter->setBrush(palette().base());
    painter->drawEllipse(near_.at, 4, 4);
  }
  paint_stale(*painter, area, stale_, palette());
  painter->restore();
}

void TimeChart::draw_marks(QPainter& painter, const QRectF& area) {
  painter.save();
  painter.setClipRect(area);
  double free_from = area.left();
  for (const FaultMark& mark : marks_) {
    const QPointF at = chart()->mapToPosition({static_cast<qreal>(mark.time_ns / kMs), 0},
                                              chart()->series().front());
    if (at.x() < area.left() || at.x() > area.right()) continue;
    const QColor colour =
        qt_colour(mark.grave ? scene::Ink::faulted : scene::Ink::degraded, scene::Theme::light);
    painter.setPen(QPen(colour, 2, Qt::DashLine));
    painter.drawLine(QPointF(at.x(), area.top()), QPointF(at.x(), area.bottom()));
    const double width = painter.fontMetrics().horizontalAdvance(mark.text) + 8;
    if (at.x() < free_from) continue;  // two at one time: one text
    QRectF flag(at.x(), area.top(), width, painter.fontMetrics().height() + 4);
    if (flag.right() > area.right()) flag.moveRight(at.x());
    painter.fillRect(flag, colour);
    painter.setPen(qt_colour(mark.grave ? scene::Ink::faulted_text : scene::Ink::degraded_text,
                             scene::Theme::light));
    painter.drawText(flag, Qt::AlignCenter, mark.text);
    free_from = flag.right() + 4;
  }
  painter.restore();
}

}  // namespace fmd::tray
