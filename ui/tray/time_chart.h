// TimeChart: lines over time, an axis for each unit, with marks where faults were diagnosed. Drag or the wheel zoom, the arrow keys
// pan, 0 shows all of it; the pointer tells what the line under it was then, a click there names the line.
#pragma once
#include <QPen>
#include <QtCharts/QChartView>
#include <map>
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
  static QPen pen(int line, bool dark);
  void show_lines(const std::vector<ChartLine>& lines, const std::vector<FaultMark>& marks,
                  const QString& title);
  void show_stale(const QString& words);  // that it is not of now, and of when; "" it is of now

 signals:
  void line_chosen(const QString& key);

 protected:
  void wheelEvent(QWheelEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void changeEvent(QEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  bool viewportEvent(QEvent*) override;
  void drawForeground(QPainter* painter, const QRectF& rect) override;

 private:
  struct Range {
    double least = 0, most = 0;
    bool any = false;
    void add(double value);
  };
  struct Near {  // a measured value
    int line = -1;
    QPointF at;  // in the picture
    int64_t time_ns = 0;
    double value = 0;
  };
  void follow_palette();
  void clear();
  QValueAxis* axis_of(const std::string& unit);
  void add_line(const ChartLine& line, Range& times, Range& values);
  void fit_axes(const Range& times, const std::map<std::string, Range>& values);
  void name_axes();
  Near nearest(const QPointF& at) const;  // of the line that passes there
  void tell(const Near& near, const QPoint& where);
  void draw_marks(QPainter& painter, const QRectF& area);

  std::vector<ChartLine> lines_;  // those that are shown
  std::vector<FaultMark> marks_;
  QDateTimeAxis* time_axis_ = nullptr;
  std::map<std::string, QValueAxis*> value_axes_;  // by unit
  Near near_;                                      // the pointer
  QPoint pressed_;
  QString stale_;
};

}  // namespace fmd::tray
