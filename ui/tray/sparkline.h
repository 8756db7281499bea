// Sparkline: a small chart of one reading, with its least and greatest value.
#pragma once
#include <QWidget>

#include "ui/client/documents.h"

namespace fmd::tray {

class Sparkline : public QWidget {
  Q_OBJECT

 public:
  explicit Sparkline(ui::Series series, QWidget* parent = nullptr);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  ui::Series series_;
};

// "41", "35.25"; with a unit: "41 °C".
QString figure_text(double value, const std::string& unit);
// "smart.pending" → "Pending sectors"; the name itself if there is no text.
QString reading_words(const std::string& name);

}  // namespace fmd::tray
