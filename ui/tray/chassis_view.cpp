#include "ui/tray/chassis_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/tray/canvas.h"
#include "ui/tray/chassis_accessible.h"
#include "ui/tray/looks.h"
#include "ui/tray/sparkline.h"
#include "ui/tray/stale.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

constexpr double kMargin = 8, kCaption = 9, kGap = 6;  // millimetres
constexpr double kMostZoom = 12;
constexpr double kLegible = 1.4;       // pixels per millimetre at which labels are legible
constexpr double kCaptionPixels = 13;  // minimum, if it fits
constexpr int kBlinkMs = 500;
constexpr double kTwoLinesMm = 12;  // minimum height of a part for two lines in the heat map

}  // namespace

ChassisView::ChassisView(QWidget* parent) : QAbstractScrollArea(parent) {
  ChassisAccessible::install();
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Picture of the chassis"));
  viewport()->setMouseTracking(true);
  blink_.setInterval(kBlinkMs);
  connect(&blink_, &QTimer::timeout, this, &ChassisView::blink);
}

scene::Theme ChassisView::theme() const {
  return is_dark(palette()) ? scene::Theme::dark : scene::Theme::light;
}

void ChassisView::show_scenes(std::vector<scene::Scene> scenes) {
  if (accessible_) accessible_->leaves_for(scenes);
  // Kept until the function returns, because the old panels point into it.
  const std::vector<scene::Scene> scenes_before = std::move(scenes_);
  std::vector<Panel> before = std::move(panels_);
  const auto signs_before = signs_;
  scenes_ = std::move(scenes);
  lay_out();
  if (!part(selected_)) selected_.clear();
  if (!keep_drawings(before) || signs_before != signs_) viewport()->update();
  if (accessible_) accessible_->changed();
}

// False: more than single parts must be repainted.
bool ChassisView::keep_drawings(std::vector<Panel>& before) {
  if (before.size() != panels_.size() || panels_.empty()) return false;
  const QRectF room(viewport()->rect());
  for (size_t i = 0; i < panels_.size(); ++i) {
    Panel& now = panels_[i];
    const scene::Face &face = *now.face, &old = *before[i].face;
    if (now.at != before[i].at || now.caption != before[i].caption || face.name != old.name ||
        face.width != old.width || face.height != old.height ||
        face.parts.size() != old.parts.size())
      return false;
    bool same = true;
    const bool in_sight = room.intersects(on_viewport(now, {0, 0, face.width, face.height}));
    for (size_t n = 0; n < face.parts.size() && (same || in_sight); ++n) {
      if (face.parts[n] == old.parts[n]) continue;
      same = false;
      if (face.parts[n].box != old.parts[n].box || face.parts[n].domains != old.parts[n].domains)
        return false;
      if (in_sight) repaint_part(now, face.parts[n]);
    }
    if (same) now.drawing = std::move(before[i].drawing);
  }
  return true;
}

const scene::Drawing& ChassisView::drawing_of(Panel& panel) const {
  if (!panel.drawing) {
    panel.drawing = scene::draw(*panel.face);
    panel.domains = domains_ ? scene::draw_domains(*panel.face) : scene::Drawing();
  }
  return *panel.drawing;
}

QRectF ChassisView::on_viewport(const Panel& panel, const scene::Rect& box) const {
  return {(panel.at + QPointF(box.x, box.y)) * scale_ + origin(), QSizeF(box.w, box.h) * scale_};
}

void ChassisView::repaint_part(const Panel& panel, const scene::Part& part) {
  constexpr int kMark = 6;  // width of the mark around a selected part
  const QRect where = on_viewport(panel, part.box).toAlignedRect();
  viewport()->update(where.adjusted(-kMark, -kMark, kMark, kMark));
}

void ChassisView::blink() {
  lit_ = !lit_;
  for (const Panel& panel : panels_)
    for (const scene::Part& part : panel.face->parts)
      if (part.locate == scene::Light::on) repaint_part(panel, part);
}

void ChassisView::show_domains(bool on) {
  domains_ = on;
  for (Panel& panel : panels_) panel.drawing.reset();
  viewport()->update();
}

bool ChassisView::has_domains() const {
  for (const Panel& panel : panels_)
    for (const scene::Part& part : panel.face->parts)
      if (!part.domains.empty()) return true;
  return false;
}

void ChassisView::show_heat(Heat heat) {
  if (heat.values == heat_.values && heat.unit == heat_.unit) return;
  heat_ = std::move(heat);
  viewport()->update();
}

void ChassisView::lay_out() {
  panels_.clear();
  signs_ = {};
  double width = 0, top = kMargin;
  tallest_ = 0;
  blinks_ = false;
  for (const scene::Scene& scene : scenes_)
    for (const scene::Face& face : scene.faces) {
      Panel panel{{kMargin, top + kCaption}, &face, face_words(face), {}, {}};
      if (scenes_.size() > 1)
        panel.caption = QString::fromStdString(scene.label) + ", " + panel.caption;
      width = std::max(width, face.width);
      tallest_ = std::max(tallest_, face.height);
      top += kCaption + face.height + kGap;
      for (const scene::Part& part : face.parts) {
        signs_.add(part);
        blinks_ = blinks_ || part.locate == scene::Light::on;
      }
      panels_.push_back(std::move(panel));
    }
  sheet_ = {width + 2 * kMargin, top + kMargin};
  settle_blinking();
  fit();
}

// Stops the timer if no light blinks, or if the data is stale, to save CPU time.
void ChassisView::settle_blinking() {
  if (blinks_ && stale_.isEmpty()) {
    if (!blink_.isActive()) blink_.start();
    return;
  }
  lit_ = true;
  blink_.stop();
}

void ChassisView::show_stale(const QString& words) {
  if (words == stale_) return;
  stale_ = words;
  settle_blinking();
  viewport()->update();
}

void ChassisView::fit() {
  const QSize room = viewport()->size();
  if (sheet_.width() <= 0) return;
  // Show a whole face if it is legible at that size; an upright chassis would be far too high.
  const double whole_face =
      panels_.size() == 1 ? sheet_.height() : tallest_ + kCaption + 2 * kMargin;
  const double by_width = room.width() / sheet_.width(), by_height = room.height() / whole_face;
  scale_ = zoom_ * std::min(by_width, std::max(by_height, kLegible));
  const QSizeF whole = sheet_ * scale_;
  horizontalScrollBar()->setPageStep(room.width());
  verticalScrollBar()->setPageStep(room.height());
  horizontalScrollBar()->setRange(0, std::max(0, static_cast<int>(whole.width()) - room.width()));
  verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(whole.height()) - room.height()));
  horizontalScrollBar()->setSingleStep(40);
  verticalScrollBar()->setSingleStep(40);
}

QPointF ChassisView::origin() const {
  const double spare = viewport()->width() - sheet_.width() * scale_;
  return {std::max(0.0, spare / 2) - horizontalScrollBar()->value(),
          -static_cast<double>(verticalScrollBar()->value())};
}

QPointF ChassisView::sheet(const QPointF& p) const {
  return (p - origin()) / scale_;
}

const scene::Part* ChassisView::at(const QPointF& viewport) const {
  const QPointF point = sheet(viewport);
  for (const Panel& panel : panels_)
    for (const scene::Part& part : panel.face->parts)
      if (QRectF(part.box.x, part.box.y, part.box.w, part.box.h).contains(point - panel.at))
        return &part;
  return nullptr;
}

const scene::Part* ChassisView::part(const QString& fmri) const {
  if (fmri.isEmpty()) return nullptr;
  const std::string wanted = fmri.toStdString();
  for (const scene::Scene& scene : scenes_)
    for (const scene::Face& face : scene.faces)
      for (const scene::Part& part : face.parts)
        if (part.fmri == wanted || part.holds == wanted) return &part;
  return nullptr;
}

QRectF ChassisView::place(const QString& fmri) const {
  const scene::Part* wanted = part(fmri);
  for (const Panel& panel : panels_)
    for (const scene::Part& one : panel.face->parts)
      if (&one == wanted) return on_viewport(panel, one.box);
  return {};
}

QRectF ChassisView::place(size_t face, const scene::Part& part) const {
  return on_viewport(panels_[face], part.box);
}

QString ChassisView::says(const scene::Part& part) const {
  return explain_ ? explain_(part) : QString::fromStdString(part.says);
}

// Scrolls only as far as needed.
void ChassisView::reveal(const QString& fmri) {
  const QRectF where = place(fmri);
  if (where.isEmpty()) return;
  const QRectF room(viewport()->rect());
  QScrollBar& bar = *verticalScrollBar();
  if (where.bottom() > room.bottom())
    bar.setValue(bar.value() + static_cast<int>(where.bottom() - room.bottom()) + 8);
  if (where.top() < 0) bar.setValue(bar.value() + static_cast<int>(where.top()) - 8);
}

void ChassisView::select(const QString& fmri) {
  const scene::Part* found = part(fmri);
  const QString before = selected_;
  selected_ = found ? QString::fromStdString(found->fmri) : QString();
  reveal(selected_);
  // Tell assistive technology about the change.
  setAccessibleDescription(found ? says(*found) : QString());
  if (accessible_) accessible_->selected(before, selected_);
  viewport()->update();
}

void ChassisView::pick(const scene::Part* part) {
  select(part ? QString::fromStdString(part->fmri) : QString());
  emit picked(selected_);
}

void ChassisView::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
  const scene::Theme look = theme();
  painter.fillRect(event->rect(), qt_colour(scene::Ink::page, look));
  painter.translate(origin());
  painter.scale(scale_, scale_);
  const QRectF seen(sheet(event->rect().topLeft()), QSizeF(event->rect().size()) / scale_);
  for (Panel& panel : panels_) {
    if (!seen.intersects({panel.at - QPointF(0, kCaption),
                          QSizeF(panel.face->width, panel.face->height + kCaption)}))
      continue;
    scene::Shape caption;
    caption.form = scene::Shape::Form::text;
    caption.box = {panel.at.x(), panel.at.y() - kCaption, panel.face->width, kCaption};
    caption.text = panel.caption.toStdString();
    caption.size = std::clamp(kCaptionPixels / scale_, 5.0, kCaption * 0.9);
    caption.align = scene::Shape::Align::left;
    caption.fill = scene::Ink::page_text;
    paint(painter, caption, look);
    painter.save();
    painter.translate(panel.at);
    paint_panel(painter, panel, seen.translated(-panel.at));
    painter.restore();
  }
  painter.resetTransform();
  paint_stale(painter, viewport()->rect(), stale_, palette());
}

// seen: the visible rectangle of the panel.
void ChassisView::paint_panel(QPainter& painter, Panel& panel, const QRectF& seen) {
  const scene::Theme look = theme();
  for (const scene::Shape& shape : drawing_of(panel).shapes) {
    const bool away = shape.points.empty() && !seen.intersects({shape.box.x - 1, shape.box.y - 1,
                                                                shape.box.w + 2, shape.box.h + 2});
    if (!away && (lit_ || !shape.blinks)) paint(painter, shape, look);
  }
  paint_heat(painter, *panel.face);
  paint(painter, panel.domains, look, true);
  const std::string selected = selected_.toStdString();
  painter.setBrush(Qt::NoBrush);
  for (const scene::Part& part : panel.face->parts) {
    const bool chosen = !selected.empty() && part.fmri == selected;
    if (!chosen && !marked_.contains(part.fmri) && !marked_.contains(part.holds)) continue;
    painter.setPen(
        QPen(qt_colour(scene::Ink::mark, look), 3 / scale_, chosen ? Qt::SolidLine : Qt::DotLine));
    painter.drawRoundedRect(QRectF(part.box.x, part.box.y, part.box.w, part.box.h)
                                .adjusted(-2 / scale_, -2 / scale_, 2 / scale_, 2 / scale_),
                            1.5, 1.5);
  }
}

// Blue to red over grey carriers, with the value as text for the colour-blind.
void ChassisView::paint_heat(QPainter& painter, const scene::Face& face) const {
  if (heat_.values.empty()) return;
  double least = heat_.values.begin()->second, most = least;
  for (const auto& [fmri, value] : heat_.values) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  for (const scene::Part& part : face.parts) {
    const QRectF box(part.box.x, part.box.y, part.box.w, part.box.h);
    const auto at = heat_.values.find(part.fmri);
    if (at == heat_.values.end()) {
      if (part.kind == scene::PartKind::bay) painter.fillRect(box, QColor(128, 128, 128, 150));
      continue;
    }
    const double share = most > least ? (at->second - least) / (most - least) : 0;
    const QColor ground = heat_colour(share);
    painter.fillRect(box, ground);
    const auto write = [&](const scene::Rect& where, const std::string& text, bool bold) {
      scene::Shape shape;
      shape.form = scene::Shape::Form::text;
      shape.box = where;
      shape.turned = part.box.upright();
      shape.text = text;
      shape.size = std::min({6.0, where.w * 0.6, where.h * 0.6});
      shape.bold = bold;
      shape.fill =
          text_on(ground) == Qt::white ? scene::Ink::faulted_text : scene::Ink::degraded_text;
      paint(painter, shape, scene::Theme::light);
    };
    // The part's label stays beside the figure: below it in an upright bay, else before it.
    scene::Rect figure = part.box, label = part.box;
    if (part.box.upright()) {
      label.h = part.box.h * 0.42;
      label.y = part.box.bottom() - label.h;
      figure.h = part.box.h - label.h;
    } else if (part.box.h >= kTwoLinesMm) {
      label.h = part.box.h * 0.45;
      figure.y += label.h;
      figure.h -= label.h;
    } else {
      label.w = part.box.w * 0.5;
      figure.x += label.w;
      figure.w -= label.w;
    }
    write(label.inset(0.6), part.label, false);
    write(figure.inset(0.6), figure_text(at->second, heat_.unit).toStdString(), true);
  }
}

void ChassisView::press(const scene::Part& part) {
  pick(&part);
  if (!selected_.isEmpty()) emit clicked(QString(selected_));
}

void ChassisView::focusInEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusInEvent(event);
  if (accessible_) accessible_->focused();
}

void ChassisView::resizeEvent(QResizeEvent*) {
  fit();
}

void ChassisView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) viewport()->update();
  QAbstractScrollArea::changeEvent(event);
}

void ChassisView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const scene::Part* part = at(event->position());
  if (part)
    press(*part);
  else
    pick(nullptr);
}

void ChassisView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const scene::Part* part = at(event->position()))
    emit activated(QString::fromStdString(part->fmri));
}

void ChassisView::zoom_by(double factor) {
  zoom_ = std::clamp(zoom_ * factor, 1.0, kMostZoom);
  fit();
  viewport()->update();
}

void ChassisView::wheelEvent(QWheelEvent* event) {
  if (!(event->modifiers() & Qt::ControlModifier)) return QAbstractScrollArea::wheelEvent(event);
  const QPointF under = sheet(event->position());
  zoom_by(event->angleDelta().y() > 0 ? 1.2 : 1 / 1.2);
  horizontalScrollBar()->setValue(static_cast<int>(under.x() * scale_ - event->position().x()));
  verticalScrollBar()->setValue(static_cast<int>(under.y() * scale_ - event->position().y()));
}

// Selects the nearest part in that direction; sideways distance counts double, to stay in the row.
void ChassisView::step(const QPointF& way) {
  const auto centre = [](const Panel& panel, const scene::Part& one) {
    return panel.at + QPointF(one.box.x + one.box.w / 2, one.box.y + one.box.h / 2);
  };
  const scene::Part *now = part(selected_), *first = nullptr, *next = nullptr;
  QPointF from;
  for (const Panel& panel : panels_)
    for (const scene::Part& one : panel.face->parts) {
      if (!first) first = &one;
      if (&one == now) from = centre(panel, one);
    }
  if (!now) return first ? pick(first) : void();
  constexpr double kAside = 2;
  double nearest = 0;
  for (const Panel& panel : panels_)
    for (const scene::Part& one : panel.face->parts) {
      const QPointF to = centre(panel, one) - from;
      const double along = QPointF::dotProduct(to, way);
      const double aside = std::abs(to.x() * way.y() - to.y() * way.x());
      // Skip parts that are more to the side than ahead.
      if (along <= 0 || aside > along * kAside) continue;
      const double far = along + kAside * aside;
      if (next && far >= nearest) continue;
      next = &one;
      nearest = far;
    }
  if (next) pick(next);
}

void ChassisView::mark(std::set<std::string> parts) {
  if (parts == marked_) return;
  marked_ = std::move(parts);
  viewport()->update();
}

void ChassisView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return step({-1, 0});
    case Qt::Key_Right:
      return step({1, 0});
    case Qt::Key_Up:
      return step({0, -1});
    case Qt::Key_Down:
      return step({0, 1});
    case Qt::Key_Plus:
      return zoom_by(1.2);
    case Qt::Key_Minus:
      return zoom_by(1 / 1.2);
    case Qt::Key_0:
      return zoom_by(1 / zoom_);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (!selected_.isEmpty()) emit activated(selected_);
      return;
    default:
      QAbstractScrollArea::keyPressEvent(event);
  }
}

bool ChassisView::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const scene::Part* part = at(help->pos());
  // Escaped, since a device's serial number could contain markup.
  QToolTip::showText(help->globalPos(),
                     part ? "<qt>" + says(*part).toHtmlEscaped() + "</qt>" : QString(), this);
  return true;
}

}  // namespace fmd::tray
