// TimeChart: lines over time with one value axis per unit, and marks for diagnosed faults. Owned by
// the page Telemetry. Drag, wheel, + and - zoom; arrow keys and a sideways wheel pan; 0 shows all.
// The tooltip names the nearest value, a click on a line emits line_chosen(). LineList is the
// legend.
#pragma once
#include <QPen>
#include <QPolygonF>
#include <QWidget>
#include <optional>
#include <vector>

#include "ui/tray/chart_frame.h"
#include "ui/tray/chart_lines.h"

namespace fmd::tray {

struct FaultMark {
  int64_t time_ns = 0;
  QString text;
  bool grave = false;
};

class TimeChart : public QWidget {
  Q_OBJECT

 public:
  explicit TimeChart(QWidget* parent = nullptr);
  // Further lines are not drawn; the page shows their number.
  static constexpr size_t kMostLines = 12;
  static QPen pen(int line, bool dark);
  // Stays zoomed if the new lines overlap the zoomed time.
  void show_lines(const std::vector<ChartLine>& lines, const std::vector<FaultMark>& marks,
                  const QString& title);
  void show_stale(const QString& words);  // "" if the data is current
  void show_all();                        // zooms out

  bool zoomed() const { return view_ != all_; }
  const QString& title() const { return title_; }
  const std::vector<ChartLine>& lines() const { return lines_; }
  const TimeSpan& view() const { return view_; }
  const ChartFrame& frame() const { return frame_; }
  QPointF place(const ChartLine& line, size_t point) const;  // in the widget

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 signals:
  void line_chosen(const QString& key);

 protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void changeEvent(QEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  bool event(QEvent*) override;

 private:
  struct Near {  // what is near the pointer: a value of a line, or a mark
    int line = -1, mark = -1;
    size_t point = 0;
    bool operator==(const Near&) const = default;
  };
  void arrange();
  void set_view(TimeSpan view);
  void zoom(double factor, double x);                      // x keeps its time
  void pan(double share);                                  // by a share of the view
  void point_out(const Near& near, const QPoint& global);  // shows ring and tooltip
  Near nearest(const QPointF& at) const;
  double distance(const QPointF& at, const ChartLine& line, size_t point) const;
  QString text_of(const Near& near) const;
  void paint_lines(QPainter& painter) const;
  std::vector<QPolygonF> pieces(const ChartLine& line) const;
  void paint_marks(QPainter& painter) const;
  void paint_drag(QPainter& painter) const;

  std::vector<ChartLine> lines_;
  std::vector<FaultMark> marks_;  // in order of time
  QString title_, stale_;
  TimeSpan all_, view_;
  ChartFrame frame_;
  Near near_;
  std::optional<QPointF> pressed_;  // position of the left button in the plot
  std::optional<double> drag_to_;   // x, once the pointer has moved far enough
};

}  // namespace fmd::tray
