// Sparkline: one reading over time, small: its line, with its least and greatest value.
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

// "41", "35.25"; with its unit: "41 °C".
QString figure_text(double value, const std::string& unit);
// "smart.pending" as people say it: "Pending sectors"; the name itself when there is no other word.
QString reading_words(const std::string& name);

}  // namespace fmd::tray
