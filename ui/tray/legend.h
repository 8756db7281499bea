// Legend: explains the signs in a picture. Always visible below it, in the size of the program's
// text.
#pragma once
#include <QWidget>

#include "fmd/scene/drawing.h"

namespace fmd::tray {

class Legend : public QWidget {
  Q_OBJECT

 public:
  explicit Legend(QWidget* parent = nullptr);
  void show_signs(const scene::Signs& signs);

  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;

 private:
  double scale() const;  // pixels per millimetre
  scene::Drawing drawing(int width) const;

  scene::Signs signs_;
};

}  // namespace fmd::tray
