// Stale: marks a picture of old data: pale, with its time.
#pragma once
#include <QString>

class QDateTime;
class QPainter;
class QPalette;
class QRectF;

namespace fmd::tray {

class Session;

// "Not connected: as of 14:05", if the data read then is stale; "" if it is current or absent.
QString stale_words(const Session& session, const QDateTime& read);
// Paints over the room. words: "" paints nothing.
void paint_stale(QPainter& painter, const QRectF& room, const QString& words,
                 const QPalette& palette);

}  // namespace fmd::tray
