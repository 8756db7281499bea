#include "ui/tray/time_chart.h"

#include <QDateTime>
#include <QKeyEvent>
#include <QLegendMarker>
#include <QPainter>
#include <QWheelEvent>
#include <QtCharts/QChart>
#include <QtCharts/QDateTimeAxis>
#include <QtCharts/QLegend>
#include <QtCharts/QLineSeries>
#include <QtCharts/QValueAxis>
#include <algorithm>

#include "ui/tray/canvas.h"
#include "ui/tray/looks.h"
#include "ui/tray/sparkline.h"

namespace fmd::tray {
namespace {

constexpr qint64 kMs = 1'000'000;  // ns

}  // namespace

TimeChart::TimeChart(QWidget* parent) : QChartView(new QChart, parent) {
  setRenderHint(QPainter::Antialiasing);
  setRubberBand(QChartView::HorizontalRubberBand);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Readings over time"));
  chart()->legend()->setAlignment(Qt::AlignBottom);
  // Its line as it is drawn: a sixth one has the first one's colour, and dashes.
  chart()->legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);
  chart()->setMargins({4, 4, 4, 4});
  follow_palette();
}

void TimeChart::follow_palette() {
  chart()->setTheme(is_dark(palette()) ? QChart::ChartThemeDark : QChart::ChartThemeLight);
  chart()->setBackgroundBrush(palette().base());
  setBackgroundBrush(palette().window());
  for (int i = 0; i < static_cast<int>(chart()->series().size()); ++i) colour_line(i);
  const QBrush text = palette().text();
  chart()->setTitleBrush(text);
  chart()->legend()->setLabelColor(text.color());
  for (QAbstractAxis* axis : chart()->axes()) {
    axis->setLabelsBrush(text);
    axis->setTitleBrush(text);
    axis->setGridLinePen(QPen(mixed(text.color(), palette().color(QPalette::Base), 0.22), 1));
    axis->setLinePen(QPen(mixed(text.color(), palette().color(QPalette::Base), 0.6), 1));
  }
}

void TimeChart::colour_line(int index) {
  auto* line = static_cast<QLineSeries*>(chart()->series()[index]);
  constexpr Qt::PenStyle kStyles[] = {Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
  QPen pen(line_colour(index, is_dark(palette())), 2);
  pen.setStyle(kStyles[index / kLineColours % static_cast<int>(std::size(kStyles))]);
  line->setPen(pen);
}

void TimeChart::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) follow_palette();
}

void TimeChart::show_lines(const std::vector<ChartLine>& lines, const std::vector<FaultMark>& marks,
                           const QString& title) {
  chart()->removeAllSeries();
  for (QAbstractAxis* axis : chart()->axes()) {
    chart()->removeAxis(axis);
    delete axis;
  }
  marks_ = marks;
  chart()->setTitle(title);
  time_axis_ = new QDateTimeAxis;
  value_axis_ = new QValueAxis;
  chart()->addAxis(time_axis_, Qt::AlignBottom);
  chart()->addAxis(value_axis_, Qt::AlignLeft);
  int64_t first = 0, last = 0;
  double least = 0, most = 0;
  bool any = false;
  const bool is_rate = !lines.empty() && lines.front().unit == "bytes/s";
  const double scale = is_rate ? 1024.0 * 1024.0 : 1;
  for (size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) {
    auto* series = new QLineSeries;
    series->setName(lines[i].name.toHtmlEscaped());
    for (const auto& [time, figure] : lines[i].points) {
      const double value = figure / scale;
      series->append(static_cast<qreal>(time / kMs), value);
      first = any ? std::min(first, time) : time;
      last = any ? std::max(last, time) : time;
      least = any ? std::min(least, value) : value;
      most = any ? std::max(most, value) : value;
      any = true;
    }
    chart()->addSeries(series);
    series->attachAxis(time_axis_);
    series->attachAxis(value_axis_);
    connect(series, &QLineSeries::clicked, this,
            [this, key = QString::fromStdString(lines[i].key)] { emit line_chosen(key); });
  }
  constexpr int64_t kLeastSpan = 600'000 * kMs;
  if (last - first < kLeastSpan) first = last - kLeastSpan;
  const double room = most > least ? (most - least) * 0.05 : std::max(1.0, std::abs(most) * 0.1);
  time_axis_->setRange(QDateTime::fromMSecsSinceEpoch(first / kMs),
                       QDateTime::fromMSecsSinceEpoch(last / kMs));
  time_axis_->setFormat(last - first > 2 * 86'400'000 * kMs ? "MMM d" : "HH:mm");
  time_axis_->setTickCount(6);
  value_axis_->setRange(least - room, most + room);
  value_axis_->applyNiceNumbers();
  if (!lines.empty() && !lines.front().unit.empty())
    value_axis_->setTitleText(is_rate ? QString("MiB/s")
                                      : figure_text(0, lines.front().unit).mid(2));
  follow_palette();  // what is new has the theme's own colours
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
  if (!time_axis_ || chart()->series().isEmpty()) return;
  const QRectF area = chart()->plotArea();
  painter->save();
  painter->setClipRect(area);
  double free_from = area.left();
  for (const FaultMark& mark : marks_) {
    const QPointF at = chart()->mapToPosition(
        {static_cast<qreal>(mark.time_ns / kMs), value_axis_->min()}, chart()->series().front());
    if (at.x() < area.left() || at.x() > area.right()) continue;
    const QColor colour =
        qt_colour(mark.grave ? scene::Ink::faulted : scene::Ink::degraded, scene::Theme::light);
    painter->setPen(QPen(colour, 2, Qt::DashLine));
    painter->drawLine(QPointF(at.x(), area.top()), QPointF(at.x(), area.bottom()));
    const double width = painter->fontMetrics().horizontalAdvance(mark.text) + 8;
    if (at.x() < free_from) continue;  // two at one time: one text
    QRectF flag(at.x(), area.top(), width, painter->fontMetrics().height() + 4);
    if (flag.right() > area.right()) flag.moveRight(at.x());
    painter->fillRect(flag, colour);
    painter->setPen(qt_colour(mark.grave ? scene::Ink::faulted_text : scene::Ink::degraded_text,
                              scene::Theme::light));
    painter->drawText(flag, Qt::AlignCenter, mark.text);
    free_from = flag.right() + 4;
  }
  painter->restore();
}

}  // namespace fmd::tray
