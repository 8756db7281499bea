// LineList: the lines of a chart by name, each with its look and last value. Click or Enter
// chooses.
#pragma once
#include <QListWidget>
#include <vector>

#include "ui/tray/chart_lines.h"

namespace fmd::tray {

class LineList : public QListWidget {
  Q_OBJECT

 public:
  explicit LineList(QWidget* parent = nullptr);
  // The same lines as in TimeChart.
  void show_lines(const std::vector<ChartLine>& lines);

 signals:
  void line_chosen(const QString& key);

 protected:
  void keyPressEvent(QKeyEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void changeEvent(QEvent*) override;

 private:
  void paint_signs();
  void fit();  // sets the height to that of the rows
};

}  // namespace fmd::tray
