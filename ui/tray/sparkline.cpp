#include "ui/tray/sparkline.h"

#include <QCoreApplication>
#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/tray/looks.h"
#include "ui/tray/words.h"

namespace fmd::tray {

Sparkline::Sparkline(ui::Series series, QWidget* parent)
    : QWidget(parent), series_(std::move(series)) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(reading_words(series_.name));
  setAccessibleDescription(tr("from %1 to %2")
                               .arg(figure_text(series_.least, series_.unit),
                                    figure_text(series_.greatest, series_.unit)));
  setToolTip(accessibleDescription());
}

QSize Sparkline::sizeHint() const {
  return {120, fontMetrics().height() * 3 / 2};
}

void Sparkline::paintEvent(QPaintEvent*) {
  const auto& points = series_.points;
  if (points.empty()) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF room = QRectF(rect()).adjusted(2, 3, -2, -3);
  const auto [first, last] = std::pair(points.front().time_ns, points.back().time_ns);
  const double span = std::max<double>(1, static_cast<double>(last - first));
  const double height = std::max(1e-9, series_.greatest - series_.least);
  QPolygonF line;
  for (const ui::SeriesPoint& p : points) {
    const double x = room.left() + room.width() * static_cast<double>(p.time_ns - first) / span;
    // A constant value is drawn in the middle.
    const double share =
        series_.greatest > series_.least ? (p.value - series_.least) / height : 0.5;
    line << QPointF(x, room.bottom() - room.height() * share);
  }
  if (line.size() == 1) line << QPointF(room.right(), line.front().y());
  painter.setPen(QPen(line_colour(0, is_dark(palette())), 1.5));
  painter.drawPolyline(line);
}

QString figure_text(double value, const std::string& unit) {
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  QString text = QLocale().toString(value, 'f', whole ? 0 : 2);
  if (unit == "celsius") return text + " °C";
  if (unit == "percent") return text + " %";
  if (unit == "hours") return text + " h";
  if (unit == "bytes/s") return QLocale().formattedDataSize(static_cast<qint64>(value)) + "/s";
  return unit.empty() || unit == "count" ? text : text + " " + clean_text(unit);
}

QString reading_words(const std::string& name) {
  static const struct {
    const char *name, *words;
  } kWords[] = {
      {"temperature_celsius", QT_TRANSLATE_NOOP("Readings", "Temperature")},
      {"power_on_hours", QT_TRANSLATE_NOOP("Readings", "Hours in use")},
      {"wear_percent", QT_TRANSLATE_NOOP("Readings", "Wear")},
      {"value", QT_TRANSLATE_NOOP("Readings", "Sensors: temperature, fans, power")},
      {"ce_count", QT_TRANSLATE_NOOP("Readings", "Corrected memory errors")},
      {"ue_count", QT_TRANSLATE_NOOP("Readings", "Uncorrected memory errors")},
      {"corrected_per_minute", QT_TRANSLATE_NOOP("Readings", "Corrected errors per minute")},
      {"read_latency_ms", QT_TRANSLATE_NOOP("Readings", "Read latency")},
      {"write_latency_ms", QT_TRANSLATE_NOOP("Readings", "Write latency")},
      {"read_errors", QT_TRANSLATE_NOOP("Readings", "Read errors in the pool")},
      {"write_errors", QT_TRANSLATE_NOOP("Readings", "Write errors in the pool")},
      {"checksum_errors", QT_TRANSLATE_NOOP("Readings", "Checksum errors in the pool")},
      {"invalid_dword_count", QT_TRANSLATE_NOOP("Readings", "Invalid words on the link")},
      {"running_disparity_error_count",
       QT_TRANSLATE_NOOP("Readings", "Disparity errors on the link")},
      {"loss_of_dword_sync_count", QT_TRANSLATE_NOOP("Readings", "Losses of synchronisation")},
      {"phy_reset_problem_count", QT_TRANSLATE_NOOP("Readings", "Failed resets of the link")},
      {"scan_rate_bytes", QT_TRANSLATE_NOOP("Readings", "Resilver or scrub rate")},
      {"smart.reallocated", QT_TRANSLATE_NOOP("Readings", "Reallocated sectors")},
      {"smart.pending", QT_TRANSLATE_NOOP("Readings", "Pending sectors")},
      {"smart.uncorrectable", QT_TRANSLATE_NOOP("Readings", "Uncorrectable sectors")},
      {"smart.grown_defects", QT_TRANSLATE_NOOP("Readings", "Grown defects")},
      {"smart.crc", QT_TRANSLATE_NOOP("Readings", "Interface CRC errors")},
      {"smart.media_errors", QT_TRANSLATE_NOOP("Readings", "Media errors")},
  };
  for (const auto& one : kWords)
    if (name == one.name) return QCoreApplication::translate("Readings", one.words);
  constexpr std::string_view kAttribute = "smart.attr.";
  if (name.starts_with(kAttribute))
    return QCoreApplication::translate("Readings", "SMART attribute %1")
        .arg(clean_text(name.substr(kAttribute.size())));
  return clean_text(name);
}

}  // namespace fmd::tray
