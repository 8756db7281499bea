#include "ui/tray/legend.h"

#include <QPainter>
#include <cmath>

#include "ui/tray/canvas.h"
#include "ui/tray/looks.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

constexpr int kLegendMargin = 8;
constexpr double kTextMm = 4.5;  // text height

}  // namespace

Legend::Legend(QWidget* parent) : QWidget(parent) {
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void Legend::show_signs(const scene::Signs& signs) {
  if (signs == signs_) return;
  signs_ = signs;
  QStringList names;
  for (const scene::PartState state : signs_.states) names << meaning_words(state);
  for (const scene::Lamp lamp : signs_.lit) names << meaning_words(lamp);
  setAccessibleName(tr("Signs in the picture: %1").arg(names.join(", ")));
  setFixedHeight(heightForWidth(width()));
  update();
}

double Legend::scale() const {
  return QFontInfo(font()).pixelSize() / kTextMm;
}

scene::Drawing Legend::drawing(int width) const {
  return scene::draw_legend(
      signs_, std::max(1, width - 2 * kLegendMargin) / scale(),
      {[](scene::PartState state) { return meaning_words(state).toStdString(); },
       [](scene::Lamp lit) { return meaning_words(lit).toStdString(); }});
}

int Legend::heightForWidth(int width) const {
  if (signs_.empty()) return 0;
  return static_cast<int>(std::ceil(drawing(width).height * scale())) + 2 * kLegendMargin;
}

QSize Legend::sizeHint() const {
  return {width(), heightForWidth(width())};
}

void Legend::resizeEvent(QResizeEvent*) {
  setFixedHeight(heightForWidth(width()));
}

void Legend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
  const scene::Theme look = is_dark(palette()) ? scene::Theme::dark : scene::Theme::light;
  painter.fillRect(rect(), qt_colour(scene::Ink::page, look));
  painter.translate(kLegendMargin, kLegendMargin);
  painter.scale(scale(), scale());
  paint(painter, drawing(width()), look, true);
}

}  // namespace fmd::tray
