// ChassisView: the faces of one or several chassis, below each other, to scale. A click selects a
// part; the wheel with Ctrl, +, - and 0 zoom; Tab and the arrow keys go from part to part.
#pragma once
#include <QAbstractScrollArea>
#include <QTimer>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "fmd/scene/drawing.h"

namespace fmd::tray {

class ChassisAccessible;

class ChassisView : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit ChassisView(QWidget* parent = nullptr);

  // Repaints only what has changed.
  void show_scenes(std::vector<scene::Scene> scenes);
  void show_stale(const QString& words);  // the age of stale data; "" if current
  void show_domains(bool on);             // outlines what fails together
  bool has_domains() const;
  const scene::Signs& signs() const { return signs_; }  // the signs used in the picture
  // The tool tip of a part, translated; the default is the scene's text.
  using Explain = std::function<QString(const scene::Part&)>;
  void explain(Explain by) { explain_ = std::move(by); }
  // Colours the parts by a figure; without values, their states are shown.
  struct Heat {
    std::map<std::string, double> values;  // by FMRI of the part
    std::string unit;                      // as in readings
  };
  void show_heat(Heat heat);
  void select(const QString& part);  // FMRI; "": none
  void reveal(const QString& part);  // scrolls only as far as needed
  // Outlines the parts with these FMRIs, or that contain one of them, such as the disks of a pool.
  void mark(std::set<std::string> parts);
  QString selected() const { return selected_; }
  const scene::Part* part(const QString& fmri) const;
  // The part's position in viewport coordinates; empty if it is not in the picture.
  QRectF place(const QString& fmri) const;
  // All content, face by face.
  size_t faces() const { return panels_.size(); }
  const scene::Face& face(size_t index) const { return *panels_[index].face; }
  const QString& caption(size_t face) const { return panels_[face].caption; }
  QRectF place(size_t face, const scene::Part& part) const;
  QString says(const scene::Part& part) const;
  void pick(const scene::Part* part);   // as if the user selected it; nullptr: none
  void press(const scene::Part& part);  // as if the user clicked it
  void accessible_by(ChassisAccessible* one) { accessible_ = one; }
  scene::Theme theme() const;

 signals:
  void picked(const QString& fmri);  // by the user: click or key
  void clicked(const QString& fmri);
  void activated(const QString& fmri);  // double click, Enter

 protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void focusInEvent(QFocusEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  bool viewportEvent(QEvent*) override;  // tool tips
  void changeEvent(QEvent*) override;

 private:
  struct Panel {  // a face on the sheet, in millimetres
    QPointF at;
    const scene::Face* face;
    QString caption;
    std::optional<scene::Drawing> drawing;  // created when first visible
    scene::Drawing domains;
  };
  void lay_out();
  bool keep_drawings(std::vector<Panel>& before);
  const scene::Drawing& drawing_of(Panel& panel) const;
  void paint_panel(QPainter& painter, Panel& panel, const QRectF& seen);
  void blink();
  void settle_blinking();
  void fit();
  QPointF origin() const;                        // of the sheet, in the viewport
  QPointF sheet(const QPointF& viewport) const;  // viewport to millimetres
  QRectF on_viewport(const Panel& panel, const scene::Rect& box) const;
  void repaint_part(const Panel& panel, const scene::Part& part);
  const scene::Part* at(const QPointF& viewport) const;
  void step(const QPointF& way);  // selects the next part in that direction
  void zoom_by(double factor);
  void paint_heat(QPainter& painter, const scene::Face& face) const;

  std::vector<scene::Scene> scenes_;
  std::vector<Panel> panels_;
  scene::Signs signs_;  // used in the picture
  bool domains_ = false;
  QSizeF sheet_;
  double tallest_ = 0;  // height of the tallest face
  Heat heat_;
  Explain explain_;
  double zoom_ = 1;   // relative to fitting the width
  double scale_ = 1;  // pixels per millimetre
  QString selected_;
  std::set<std::string> marked_;
  ChassisAccessible* accessible_ = nullptr;  // once assistive technology has requested it
  QTimer blink_;
  bool blinks_ = false;  // a light in the picture blinks
  bool lit_ = true;
  QString stale_;
};

}  // namespace fmd::tray
