#include "ui/tray/time_chart.h"

#include <QApplication>
#include <QDateTime>
#include <QKeyEvent>
#include <QLocale>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/tray/canvas.h"
#include "ui/tray/looks.h"
#include "ui/tray/sparkline.h"
#include "ui/tray/stale.h"

namespace fmd::tray {
namespace {

constexpr int64_t kMs = 1'000'000, kSecond = 1'000'000'000;  // ns
// Pixels. kMargin: how far lines are drawn beyond the plot, which clips them.
constexpr double kLineReach = 24, kMarkReach = 6, kLeastDrag = 5, kMargin = 10;

bool joined(const LinePoints& points, size_t point) {
  return point > 0 && held_until(points, point - 1) == points[point].first;
}

double distance_to_segment(const QPointF& at, const QPointF& from, const QPointF& to) {
  const QPointF way = to - from;
  const double length = QPointF::dotProduct(way, way);
  const double share =
      length > 0 ? std::clamp(QPointF::dotProduct(at - from, way) / length, 0.0, 1.0) : 0;
  const QPointF off = at - (from + share * way);
  return std::hypot(off.x(), off.y());
}

}  // namespace

TimeChart::TimeChart(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setMouseTracking(true);
  setAccessibleName(tr("Readings over time"));
}

QSize TimeChart::sizeHint() const {
  return {640, 360};
}

QSize TimeChart::minimumSizeHint() const {
  return {240, 160};
}

QPen TimeChart::pen(int line, bool dark) {
  constexpr Qt::PenStyle kStyles[] = {Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
  QPen pen(line_colour(line, dark), 2);
  pen.setStyle(kStyles[line / kLineColours % static_cast<int>(std::size(kStyles))]);
  return pen;
}

void TimeChart::show_lines(const std::vector<ChartLine>& lines, const std::vector<FaultMark>& marks,
                           const QString& title) {
  point_out({}, {});
  const bool was_zoomed = zoomed();
  lines_.assign(lines.begin(),
                lines.begin() + static_cast<ptrdiff_t>(std::min(lines.size(), kMostLines)));
  marks_ = marks;
  std::stable_sort(marks_.begin(), marks_.end(),
                   [](const FaultMark& a, const FaultMark& b) { return a.time_ns < b.time_ns; });
  title_ = title;
  all_ = span_of(lines_);
  if (all_.length() == 0) marks_.clear();  // without values there is no time axis
  const bool reached = view_.from_ns < all_.to_ns && view_.to_ns > all_.from_ns;
  set_view(was_zoomed && reached ? view_ : all_);
}

void TimeChart::show_stale(const QString& words) {
  if (words == stale_) return;
  stale_ = words;
  point_out({}, {});  // the banner above the pages moves the chart from under the pointer
  setAccessibleDescription(words);
  update();
}

void TimeChart::show_all() {
  set_view(all_);
}

void TimeChart::set_view(TimeSpan view) {
  constexpr int64_t kLeastView = 10 * kSecond;
  const int64_t length =
      std::clamp(view.length(), std::min(kLeastView, all_.length()), all_.length());
  view.from_ns = std::clamp(view.from_ns, all_.from_ns, all_.to_ns - length);
  view_ = {view.from_ns, view.from_ns + length};
  point_out({}, {});
  arrange();
}

void TimeChart::zoom(double factor, double x) {
  const QRectF& plot = frame_.plot();
  const int64_t at = frame_.time_at(std::clamp(x, plot.left(), plot.right()));
  const auto scaled = [&](int64_t ns) {
    return at + static_cast<int64_t>(static_cast<double>(ns - at) * factor);
  };
  set_view({scaled(view_.from_ns), scaled(view_.to_ns)});
}

void TimeChart::pan(double share) {
  const auto by = static_cast<int64_t>(share * static_cast<double>(view_.length()));
  set_view({view_.from_ns + by, view_.to_ns + by});
}

void TimeChart::arrange() {
  frame_.arrange(rect(), font(), title_, view_, value_axes(lines_, view_));
  update();
}

QPointF TimeChart::place(const ChartLine& line, size_t point) const {
  const auto& [time, value] = line.points[point];
  const auto& axes = frame_.axes();
  const auto axis = std::find_if(axes.begin(), axes.end(),
                                 [&](const ValueAxis& one) { return one.unit == line.unit; });
  return {frame_.x_of(time), frame_.y_of(value / axis->per_one, *axis)};
}

// The distance to the drawing of that point: the step to its value, and the line while it applies.
double TimeChart::distance(const QPointF& at, const ChartLine& line, size_t point) const {
  const QPointF from = place(line, point);
  const QPointF to(frame_.x_of(held_until(line.points, point)), from.y());
  double least = distance_to_segment(at, from, to);
  if (joined(line.points, point))
    least = std::min(least, distance_to_segment(at, {from.x(), place(line, point - 1).y()}, from));
  return least;
}

TimeChart::Near TimeChart::nearest(const QPointF& at) const {
  Near found;
  if (!frame_.plot().contains(at)) return found;
  double least = kLineReach;
  for (size_t i = 0; i < lines_.size(); ++i) {
    const LinePoints& points = lines_[i].points;
    if (points.empty()) continue;
    const size_t here = point_at(points, frame_.time_at(at.x()));
    for (size_t n = here > 0 ? here - 1 : 0; n < std::min(points.size(), here + 2); ++n) {
      const double far = distance(at, lines_[i], n);
      if (far >= least) continue;
      least = far;
      found = {static_cast<int>(i), -1, n};
    }
  }
  if (found.line >= 0) return found;
  for (size_t i = 0; i < marks_.size(); ++i)
    if (std::abs(frame_.x_of(marks_[i].time_ns) - at.x()) <= kMarkReach)
      found.mark = static_cast<int>(i);
  return found;
}

QString TimeChart::text_of(const Near& near) const {
  const auto time = [](int64_t ns) {
    return QLocale().toString(QDateTime::fromMSecsSinceEpoch(ns / kMs), QLocale::ShortFormat);
  };
  if (near.line < 0) {
    const FaultMark& mark = marks_[static_cast<size_t>(near.mark)];
    return tr("%1, %2").arg(mark.text, time(mark.time_ns));
  }
  const ChartLine& line = lines_[static_cast<size_t>(near.line)];
  const auto& [at, value] = line.points[near.point];
  return tr("%1: %2, %3").arg(line.name, figure_text(value, line.unit), time(at));
}

void TimeChart::point_out(const Near& near, const QPoint& global) {
  if (near == near_) return;
  near_ = near;
  update();
  if (near.line < 0 && near.mark < 0) return QToolTip::hideText();
  QToolTip::showText(global, "<qt>" + text_of(near).toHtmlEscaped() + "</qt>", this);
}

void TimeChart::wheelEvent(QWheelEvent* event) {
  constexpr double kFactor = 0.8, kStep = 0.1;
  const QPoint turned = event->angleDelta();
  if (std::abs(turned.x()) > std::abs(turned.y()))
    pan(turned.x() > 0 ? -kStep : kStep);
  else if (turned.y() != 0)
    zoom(turned.y() > 0 ? kFactor : 1 / kFactor, event->position().x());
  event->accept();
}

void TimeChart::keyPressEvent(QKeyEvent* event) {
  constexpr double kStep = 0.1;
  const double middle = frame_.plot().center().x();
  switch (event->key()) {
    case Qt::Key_Left:
      return pan(-kStep);
    case Qt::Key_Right:
      return pan(kStep);
    case Qt::Key_Plus:
    case Qt::Key_Equal:  // the same key without Shift
      return zoom(0.5, middle);
    case Qt::Key_Minus:
      return zoom(2, middle);
    case Qt::Key_0:
      return show_all();
    default:
      QWidget::keyPressEvent(event);
  }
}

void TimeChart::mousePressEvent(QMouseEvent* event) {
  if (!frame_.plot().contains(event->position())) return;
  if (event->button() == Qt::LeftButton) pressed_ = event->position();
  if (event->button() == Qt::RightButton) zoom(2, event->position().x());
}

void TimeChart::mouseMoveEvent(QMouseEvent* event) {
  const QPointF at = event->position();
  if (event->buttons() == Qt::NoButton)
    return point_out(nearest(at), event->globalPosition().toPoint());
  if (!pressed_) return;
  if (!drag_to_ && (at - *pressed_).manhattanLength() < QApplication::startDragDistance()) return;
  point_out({}, {});
  drag_to_ = std::clamp(at.x(), frame_.plot().left(), frame_.plot().right());
  update();
}

void TimeChart::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !pressed_) return;
  const double from = std::exchange(pressed_, {})->x();
  if (const std::optional<double> to = std::exchange(drag_to_, {})) {
    update();
    if (std::abs(*to - from) < kLeastDrag) return;
    const auto [left, right] = std::minmax(from, *to);
    return set_view({frame_.time_at(left), frame_.time_at(right)});
  }
  const Near hit = nearest(event->position());
  if (hit.line >= 0)
    emit line_chosen(QString::fromStdString(lines_[static_cast<size_t>(hit.line)].key));
}

// Otherwise Qt finds no tool tip of the widget and hides ours.
bool TimeChart::event(QEvent* event) {
  return event->type() == QEvent::ToolTip || QWidget::event(event);
}

void TimeChart::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  point_out({}, {});
}

void TimeChart::resizeEvent(QResizeEvent*) {
  point_out({}, {});
  arrange();
}

void TimeChart::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) arrange();
}

void TimeChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().base());
  frame_.paint(painter, palette());
  paint_lines(painter);
  paint_marks(painter);
  if (drag_to_) paint_drag(painter);
  painter.setRenderHint(QPainter::Antialiasing);
  paint_stale(painter, frame_.plot(), stale_, palette());
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(hasFocus() ? QPen(line_colour(0, is_dark(palette())), 2)
                            : QPen(outline_colour(palette()), 1));
  painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
}

void TimeChart::paint_drag(QPainter& painter) const {
  QColor colour = line_colour(0, is_dark(palette()));
  QRectF chosen = frame_.plot();
  chosen.setLeft(std::min(pressed_->x(), *drag_to_));
  chosen.setRight(std::max(pressed_->x(), *drag_to_));
  painter.setPen(colour);
  colour.setAlphaF(0.25F);
  painter.setBrush(colour);
  painter.drawRect(chosen);
}

void TimeChart::paint_lines(QPainter& painter) const {
  const bool dark = is_dark(palette());
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setClipRect(frame_.plot().adjusted(-1, -1, 1, 1));
  for (size_t i = 0; i < lines_.size(); ++i) {
    painter.setPen(pen(static_cast<int>(i), dark));
    for (const QPolygonF& piece : pieces(lines_[i])) painter.drawPolyline(piece);
  }
  if (near_.line >= 0) {
    painter.setPen(QPen(pen(near_.line, dark).color(), 2));
    painter.setBrush(palette().base());
    painter.drawEllipse(place(lines_[static_cast<size_t>(near_.line)], near_.point), 4, 4);
  }
  painter.restore();
}

// A line as steps, because a value applies until the next one. A new piece begins after a gap.
std::vector<QPolygonF> TimeChart::pieces(const ChartLine& line) const {
  std::vector<QPolygonF> pieces;
  if (line.points.empty()) return pieces;
  const double left = frame_.plot().left() - kMargin, right = frame_.plot().right() + kMargin;
  const size_t last = point_at(line.points, view_.to_ns);
  for (size_t n = point_at(line.points, view_.from_ns); n <= last; ++n) {
    const QPointF from = place(line, n);
    // A single value is drawn as a point.
    const double until = std::max(from.x() + 1, frame_.x_of(held_until(line.points, n)));
    if (pieces.empty() || !joined(line.points, n)) pieces.emplace_back();
    pieces.back() << QPointF(std::clamp(from.x(), left, right), from.y())
                  << QPointF(std::clamp(until, left, right), from.y());
  }
  return pieces;
}

void TimeChart::paint_marks(QPainter& painter) const {
  const QRectF& plot = frame_.plot();
  const QFontMetricsF metrics(font());
  painter.save();
  painter.setClipRect(plot);
  double free_from = plot.left();
  for (const FaultMark& mark : marks_) {
    if (mark.time_ns < view_.from_ns || mark.time_ns > view_.to_ns) continue;
    const double x = std::round(frame_.x_of(mark.time_ns));
    const QColor ground =
        qt_colour(mark.grave ? scene::Ink::faulted : scene::Ink::degraded, scene::Theme::light);
    // Amber on white and red on black are faint, so the text's colour fills the gaps between
    // dashes.
    for (const QPen& pen : {QPen(palette().text(), 2), QPen(ground, 2, Qt::DashLine)}) {
      painter.setPen(pen);
      painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    }
    const double width = std::min(plot.width(), metrics.horizontalAdvance(mark.text) + 8);
    const QRectF flag(std::min(x, plot.right() - width), plot.top(), width, metrics.height() + 4);
    if (flag.left() < free_from) continue;  // overlaps the previous flag; the tooltip names it
    painter.fillRect(flag, ground);
    painter.setPen(qt_colour(mark.grave ? scene::Ink::faulted_text : scene::Ink::degraded_text,
                             scene::Theme::light));
    painter.drawText(flag, Qt::AlignCenter,
                     metrics.elidedText(mark.text, Qt::ElideRight, width - 4));
    free_from = flag.right() + 4;
  }
  painter.restore();
}

}  // namespace fmd::tray
