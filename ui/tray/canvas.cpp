#include "ui/tray/canvas.h"

#include <QFontMetricsF>
#include <QPainterPath>

namespace fmd::tray {
namespace {

using scene::Shape;

QRectF rect(const scene::Rect& r) {
  return {r.x, r.y, r.w, r.h};
}

// Qt sets fonts in whole pixels. Large letters, scaled down, keep their proportions at any zoom.
constexpr double kFontPixels = 64;

void text(QPainter& painter, const Shape& shape, scene::Theme theme) {
  if (shape.text.empty() || !shape.fill) return;
  painter.save();
  QFont font = painter.font();
  font.setPixelSize(static_cast<int>(kFontPixels));
  font.setBold(shape.bold);
  painter.setFont(font);
  painter.setPen(qt_colour(*shape.fill, theme));
  painter.translate(rect(shape.box).center());
  if (shape.turned) painter.rotate(-90);
  const double scale = shape.size / kFontPixels;
  painter.scale(scale, scale);
  const double length = (shape.turned ? shape.box.h : shape.box.w) / scale;
  const QString words = QString::fromStdString(shape.text);
  const double width = QFontMetricsF(font).horizontalAdvance(words);
  // The scene estimates the width; with a wider font, the text is compressed to fit.
  if (width > length) painter.scale(length / width, 1);
  const double room = std::max(width, length);
  const Qt::Alignment align = shape.align == Shape::Align::left    ? Qt::AlignLeft
                              : shape.align == Shape::Align::right ? Qt::AlignRight
                                                                   : Qt::AlignHCenter;
  painter.drawText(QRectF(-room / 2, -kFontPixels, room, 2 * kFontPixels), align | Qt::AlignVCenter,
                   words);
  painter.restore();
}

}  // namespace

QColor qt_colour(scene::Ink ink, scene::Theme theme) {
  const scene::Colour c = scene::colour(ink, theme);
  return {c.red, c.green, c.blue};
}

void paint(QPainter& painter, const Shape& shape, scene::Theme theme) {
  if (shape.form == Shape::Form::text) return text(painter, shape, theme);
  painter.setPen(Qt::NoPen);
  painter.setBrush(Qt::NoBrush);
  if (shape.fill) painter.setBrush(qt_colour(*shape.fill, theme));
  if (shape.stroke) {
    QPen pen(qt_colour(*shape.stroke, theme), shape.width, Qt::SolidLine, Qt::RoundCap,
             Qt::RoundJoin);
    if (shape.dashed && shape.width > 0) pen.setDashPattern({2 / shape.width, 1.5 / shape.width});
    painter.setPen(pen);
  }
  switch (shape.form) {
    case Shape::Form::box:
      painter.drawRoundedRect(rect(shape.box), shape.radius, shape.radius);
      return;
    case Shape::Form::ellipse:
      painter.drawEllipse(rect(shape.box));
      return;
    default:
      break;
  }
  QPolygonF points;
  for (const scene::Point& p : shape.points) points << QPointF(p.x, p.y);
  if (shape.form == Shape::Form::polygon)
    painter.drawPolygon(points);
  else
    painter.drawPolyline(points);
}

void paint(QPainter& painter, const scene::Drawing& drawing, scene::Theme theme, bool lit) {
  for (const Shape& shape : drawing.shapes)
    if (lit || !shape.blinks) paint(painter, shape, theme);
}

}  // namespace fmd::tray
