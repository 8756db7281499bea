#include "ui/tray/health_icon.h"

#include <QPainter>
#include <QPixmap>

#include "ui/tray/canvas.h"

namespace fmd::tray {
namespace {

void sign(QPainter& p, Health health) {
  QPen pen(Qt::white, 11, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
  p.setPen(pen);
  p.setBrush(Qt::NoBrush);
  switch (health) {
    case Health::ok:
      p.drawPolyline(QPolygonF{{29, 52}, {44, 67}, {72, 35}});
      return;
    case Health::faulted:
      p.drawLine(QPointF{32, 32}, QPointF{68, 68});
      p.drawLine(QPointF{68, 32}, QPointF{32, 68});
      return;
    case Health::degraded:
      pen.setColor(Qt::black);
      p.setPen(pen);
      p.drawLine(QPointF{50, 38}, QPointF{50, 60});
      p.drawPoint(QPointF{50, 78});
      return;
    case Health::unknown: {
      QFont font = p.font();
      font.setPixelSize(70);
      font.setBold(true);
      p.setFont(font);
      p.drawText(QRectF(0, 0, 100, 100), Qt::AlignCenter, "?");
    }
  }
}

QPixmap picture(Health health, int pixels) {
  QPixmap map(pixels, pixels);
  map.fill(Qt::transparent);
  QPainter p(&map);
  p.setRenderHint(QPainter::Antialiasing);
  p.scale(pixels / 100.0, pixels / 100.0);
  const scene::Theme theme = scene::Theme::light;
  p.setPen(QPen(QColor(0, 0, 0, 90), 3));
  switch (health) {
    case Health::ok:
      p.setBrush(QColor(0x1f, 0x8a, 0x4c));
      p.drawEllipse(QRectF(6, 6, 88, 88));
      break;
    case Health::degraded:
      p.setBrush(qt_colour(scene::Ink::degraded, theme));
      p.drawPolygon(QPolygonF{{50, 5}, {97, 93}, {3, 93}});
      break;
    case Health::faulted:
      p.setBrush(qt_colour(scene::Ink::faulted, theme));
      p.drawRoundedRect(QRectF(7, 7, 86, 86), 14, 14);
      break;
    case Health::unknown:
      p.setBrush(QColor(0x5c, 0x64, 0x6d));
      p.drawRoundedRect(QRectF(7, 7, 86, 86), 43, 43);
      break;
  }
  sign(p, health);
  return map;
}

}  // namespace

QIcon health_icon(Health health) {
  QIcon icon;
  for (const int pixels : {16, 22, 24, 32, 48, 64, 128}) icon.addPixmap(picture(health, pixels));
  return icon;
}

}  // namespace fmd::tray
