// ChassisView: the faces of one chassis or of several, below each other, to scale. A click selects a part; wheel with
// Ctrl, and +, - and 0, zoom; Tab and the arrow keys go from part to part.
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

  // What is as it was is not painted again.
  void show_scenes(std::vector<scene::Scene> scenes);
  void show_stale(const QString& words);  // that it is not of now, and of when; "" it is of now
  void show_domains(bool on);             // what fails together, outlined
  bool has_domains() const;
  const scene::Signs& signs() const { return signs_; }  // that occur in it
  // What a tool tip says of a part, in words of the person's language; without, the scene's own.
  using Explain = std::function<QString(const scene::Part&)>;
  void explain(Explain by) { explain_ = std::move(by); }
  // Colours over the parts by a figure of each; none: their states are shown.
  struct Heat {
    std::map<std::string, double> values;  // by the part's FMRI
    std::string unit;                      // as a reading has it
  };
  void show_heat(Heat heat);
  void select(const QString& part);  // FMRI; "" none
  void reveal(const QString& part);  // scrolls as far as it must
  // Outlined: the parts of these FMRIs, or that hold one of them. Of a pool, a raidz.
  void mark(std::set<std::string> parts);
  QString selected() const { return selected_; }
  const scene::Part* part(const QString& fmri) const;
  // Where a part is painted now, in the viewport's coordinates; empty when it is not there.
  QRectF place(const QString& fmri) const;
  // All that there is, face by face.
  size_t faces() const { return panels_.size(); }
  const scene::Face& face(size_t index) const { return *panels_[index].face; }
  const QString& caption(size_t face) const { return panels_[face].caption; }
  QRectF place(size_t face, const scene::Part& part) const;
  QString says(const scene::Part& part) const;
  void pick(const scene::Part* part);   // a person selects it; nullptr none
  void press(const scene::Part& part);  // a person clicks on it
  void accessible_by(ChassisAccessible* one) { accessible_ = one; }
  scene::Theme theme() const;

 signals:
  void picked(const QString& fmri);  // by a person: click or key
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
  bool viewportEvent(QEvent*) override;  // what is under the pointer
  void changeEvent(QEvent*) override;

 private:
  struct Panel {  // a face where it stands on the sheet, in millimetres
    QPointF at;
    const scene::Face* face;
    QString caption;
    std::optional<scene::Drawing> drawing;  // made when it is first in sight
    scene::Drawing domains;
  };
  void lay_out();
  bool keep_drawings(std::vector<Panel>& before);
  const scene::Drawing& drawing_of(Panel& panel) const;
  void paint_panel(QPainter& painter, Panel& panel, const QRectF& seen);
  void blink();
  void settle_blinking();
  void fit();
  QPointF origin() const;                        // of the sheet, on the viewport
  QPointF sheet(const QPointF& viewport) const;  // to millimetres
  QRectF on_viewport(const Panel& panel, const scene::Rect& box) const;
  void repaint_part(const Panel& panel, const scene::Part& part);
  const scene::Part* at(const QPointF& viewport) const;
  void step(const QPointF& way);  // to the next part that way
  void zoom_by(double factor);
  void paint_heat(QPainter& painter, const scene::Face& face) const;

  std::vector<scene::Scene> scenes_;
  std::vector<Panel> panels_;
  scene::Signs signs_;  // that occur
  bool domains_ = false;
  QSizeF sheet_;
  double tallest_ = 0;  // of the faces
  Heat heat_;
  Explain explain_;
  double zoom_ = 1;   // over what fits the width
  double scale_ = 1;  // pixels a millimetre
  QString selected_;
  std::set<std::string> marked_;
  ChassisAccessible* accessible_ = nullptr;  // once somebody has asked for it
  QTimer blink_;
  bool blinks_ = false;  // a light in it does
  bool lit_ = true;
  QString stale_;
};

}  // namespace fmd::tray
