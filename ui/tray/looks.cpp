#include "ui/tray/looks.h"

#include <QApplication>
#include <QEvent>
#include <QPainter>
#include <QProxyStyle>
#include <QStyleOption>
#include <algorithm>
#include <array>

#include "fmd/scene/palette.h"

namespace fmd::tray {
namespace {

scene::Colour seen(const QColor& colour, const QColor& ground) {
  const auto mixed = [&](int over, int under) {
    return static_cast<uint8_t>((over * colour.alpha() + under * (255 - colour.alpha())) / 255);
  };
  return {mixed(colour.red(), ground.red()), mixed(colour.green(), ground.green()),
          mixed(colour.blue(), ground.blue())};
}

class OutlinedFusion : public QProxyStyle {
 public:
  OutlinedFusion() : QProxyStyle("Fusion") {}

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override {
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    const bool has_outline = element == PE_IndicatorCheckBox || element == PE_FrameLineEdit;
    if (!has_outline || !(option->state & State_Enabled) || option->state & State_HasFocus) return;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(outline_colour(option->palette));
    painter->setBrush(Qt::NoBrush);
    const double inset = element == PE_IndicatorCheckBox ? 1.5 : 0.5;
    painter->drawRoundedRect(QRectF(option->rect).adjusted(inset, inset, -inset, -inset), 2, 2);
    painter->restore();
  }
};

class Follower : public QObject {
 public:
  explicit Follower(QApplication& app) : QObject(&app) { apply(); }

 protected:
  bool eventFilter(QObject* of, QEvent* event) override {
    if (event->type() == QEvent::ApplicationPaletteChange && !applying_) apply();
    return QObject::eventFilter(of, event);
  }

 private:
  void apply() {
    applying_ = true;
    const QPalette now = QApplication::palette(), better = legible(now);
    if (better != now) QApplication::setPalette(better);
    applying_ = false;
  }
  bool applying_ = false;
};

}  // namespace

double contrast(const QColor& text, const QColor& ground) {
  return scene::contrast(seen(text, ground), seen(ground, ground));
}

bool is_dark(const QPalette& palette) {
  return palette.color(QPalette::Window).lightness() < 128;
}

QPalette dark_palette() {
  QPalette dark(QColor(0x2b, 0x2f, 0x34), QColor(0x24, 0x28, 0x2c));
  dark.setColor(QPalette::Base, QColor(0x1b, 0x1e, 0x21));
  dark.setColor(QPalette::AlternateBase, QColor(0x22, 0x26, 0x2a));
  dark.setColor(QPalette::Highlight, QColor(0x1f, 0x5f, 0xa8));
  dark.setColor(QPalette::HighlightedText, Qt::white);
  dark.setColor(QPalette::Link, QColor(0x6d, 0xb6, 0xff));
  dark.setColor(QPalette::ToolTipBase, QColor(0x3a, 0x40, 0x46));
  dark.setColor(QPalette::ToolTipText, Qt::white);
  return dark;
}

QPalette legible(QPalette palette) {
  for (const QPalette::ColorGroup group : {QPalette::Active, QPalette::Inactive}) {
    const QColor base = palette.color(group, QPalette::Base);
    QColor hint = palette.color(group, QPalette::PlaceholderText);
    while (contrast(hint, base) < kTextContrast && hint.alpha() < 255)
      hint.setAlpha(std::min(255, hint.alpha() + 15));
    if (contrast(hint, base) < kTextContrast) hint = text_on(base);
    if (hint != palette.color(group, QPalette::PlaceholderText))
      palette.setColor(group, QPalette::PlaceholderText, hint);
    // Make the selection's background lighter or darker, keeping its hue.
    const QColor text = palette.color(group, QPalette::HighlightedText);
    QColor ground = palette.color(group, QPalette::Highlight);
    for (int i = 0; i < 40 && contrast(text, ground) < kTextContrast; ++i)
      ground = text.lightness() > ground.lightness() ? ground.darker(105) : ground.lighter(105);
    if (ground != palette.color(group, QPalette::Highlight))
      palette.setColor(group, QPalette::Highlight, ground);
  }
  return palette;
}

void follow_looks(QApplication& app) {
  if (QApplication::style()->name() == "fusion") QApplication::setStyle(outlined_fusion());
  app.installEventFilter(new Follower(app));
}

QColor mixed(const QColor& over, const QColor& under, double share) {
  const auto part = [&](int a, int b) { return static_cast<int>(a * share + b * (1 - share)); };
  return {part(over.red(), under.red()), part(over.green(), under.green()),
          part(over.blue(), under.blue())};
}

QColor outline_colour(const QPalette& palette) {
  const QColor text = palette.color(QPalette::Active, QPalette::Text);
  const QColor base = palette.color(QPalette::Active, QPalette::Base);
  const QColor window = palette.color(QPalette::Active, QPalette::Window);
  QColor colour = text;
  for (double share = 0.3; share < 1; share += 0.05) {
    colour = mixed(text, base, share);
    if (std::min(contrast(colour, base), contrast(colour, window)) >= kSignContrast) break;
  }
  return colour;
}

QStyle* outlined_fusion() {
  return new OutlinedFusion;
}

QColor heat_colour(double share) {
  return QColor::fromHsvF(static_cast<float>(0.62 * (1 - std::clamp(share, 0.0, 1.0))), 0.75F,
                          0.85F);
}

QColor text_on(const QColor& ground) {
  return contrast(Qt::white, ground) > contrast(Qt::black, ground) ? Qt::white : Qt::black;
}

QColor line_colour(int index, bool dark) {
  // Blue, orange, green, pink, brown or yellow: distinguishable by the colour-blind.
  constexpr std::array<QRgb, kLineColours> kLight{0xff0067a8, 0xffb85000, 0xff007a58, 0xffa83f86,
                                                  0xff6b5a00};
  constexpr std::array<QRgb, kLineColours> kDark{0xff63b8f0, 0xfff0a030, 0xff35c495, 0xfff09ccb,
                                                 0xffe8dc4a};
  const auto at = static_cast<size_t>(index % kLineColours);
  return QColor::fromRgb(dark ? kDark[at] : kLight[at]);
}

}  // namespace fmd::tray
