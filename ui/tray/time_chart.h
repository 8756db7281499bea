// TimeChart: lines over time with marks where faults were diagnosed. Drag to zoom, wheel to zoom at the
// pointer, Ctrl+drag or arrow keys to pan, 0 for all of it; a click on a line names it.
#pragma once
#include <QtCharts/QChartView>
#include <vector>

#include "ui/tray/chart_lines.h"

class QDateTimeAxis;
class QValueAxis;

namespace fmd::tray {

struct FaultMark {
  int64_t time_ns = 0;
  QString text;
  bool grave = false;
};

class TimeChart : public QChartView {
  Q_OBJECT

 public:
  explicit TimeChart(QWidget* parent = nullptr);
  // The first twelve lines; how many there are is told by the caller.
  static constexpr size_t kMostLines = 12;
  void show_lines(const std::vector<ChartLine>& lines, const std::vector<FaultMark>& marks,
                  const QString& title);

 signals:
  void line_chosen(const QString& key);

 protected:
  void wheelEvent(QWheelEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void changeEvent(QEvent*) override;
  void drawForeground(QPainter* painter, const QRectF& rect) override;

 private:
  void follow_palette();
  void colour_line(int index);
  std::vector<FaultMark> marks_;
  QDateTimeAxis* time_axis_ = nullptr;
  QValueAxis* value_axis_ = nullptr;
};

}  // namespace fmd::tray
