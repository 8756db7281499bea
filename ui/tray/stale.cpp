#include "ui/tray/stale.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QPainter>
#include <QPalette>

#include "ui/tray/session.h"

namespace fmd::tray {

QString stale_words(const Session& session, const QDateTime& read) {
  if (session.connected() || !read.isValid()) return {};
  return QCoreApplication::translate("Stale", "Not connected: as of %1")
      .arg(QLocale().toString(read, QLocale::ShortFormat));
}

void paint_stale(QPainter& painter, const QRectF& room, const QString& words,
                 const QPalette& palette) {
  if (words.isEmpty()) return;
  constexpr double kPaled = 0.5, kMargin = 10, kInner = 6;
  QColor veil = palette.color(QPalette::Base);
  veil.setAlphaF(kPaled);
  painter.fillRect(room, veil);
  const QFontMetricsF metrics(painter.font());
  QRectF stamp(0, 0,
               metrics.horizontalAdvance(words) + 4 * kInner,  // half of it for the round ends
               metrics.height() + 2 * kInner);
  stamp.moveTopRight(room.topRight() + QPointF(-kMargin, kMargin));
  painter.setPen(QPen(palette.color(QPalette::Text), 1.5));
  painter.setBrush(palette.base());
  painter.drawRoundedRect(stamp, kInner, kInner);
  painter.drawText(stamp, Qt::AlignCenter, words);
}

}  // namespace fmd::tray
