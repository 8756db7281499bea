// Stale: how a picture shows that it is not of now: it is paled, and bears the time it is from.
#pragma once
#include <QString>

class QDateTime;
class QPainter;
class QPalette;
class QRectF;

namespace fmd::tray {

class Session;

// "Not connected: as of 14:05" of what was read then; "" while it is kept up to date, or nothing was read yet.
QString stale_words(const Session& session, const QDateTime& read);
// Over what was painted there. words: "" nothing.
void paint_stale(QPainter& painter, const QRectF& room, const QString& words,
                 const QPalette& palette);

}  // namespace fmd::tray
