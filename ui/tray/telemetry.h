// Telemetry: one or two readings over time for the chosen parts, broken down by part, pool, chassis
// or host, with marks for faults; updated live, zoomable, exported to PNG and CSV.
#pragma once
#include <QDateTime>
#include <QTimer>
#include <QWidget>
#include <map>

#include "ui/tray/chart_lines.h"
#include "ui/tray/hosts.h"
#include "ui/tray/readings_ask.h"

class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;

namespace fmd::tray {

class LineList;
class TimeChart;

class Telemetry : public QWidget {
  Q_OBJECT

 public:
  Telemetry(Session& session, Hosts& hosts, QWidget* parent = nullptr);

  void refresh();
  // Only that part, within the chosen time range.
  void show_part(const QString& fmri);

 signals:
  void part_wanted(const QString& fmri);

 protected:
  void showEvent(QShowEvent*) override;
  void hideEvent(QHideEvent*) override;

 private:
  void build();
  QWidget* build_controls();
  void fill_parts();
  void fill_names();
  void learn();  // finds the available readings, then calls ask()
  void ask();
  void ask_others();
  void took(Result<History> answer, unsigned of);
  void draw();
  void chose_line(const QString& key);
  void save();
  std::vector<ChartLine> lines() const;
  std::vector<std::string> wanted_parts() const;
  std::vector<std::string> names() const;  // the chosen readings
  QString title() const;
  int64_t from_ns() const;
  BreakDown by() const;

  Session& session_;
  Hosts& hosts_;
  QListWidget* parts_;
  QComboBox *names_, *second_, *by_, *time_;
  QPushButton *save_, *whole_;
  TimeChart* chart_;
  LineList* list_;
  QWidget* picture_;  // chart and list
  QLabel* note_;
  Measured measured_;
  History read_;
  QDateTime read_at_;
  std::map<QString, std::vector<ChartLine>> others_;  // by host: its lines, when comparing hosts
  unsigned query_ = 0;                                // earlier queries' answers are dropped
  bool stale_ = true, asking_ = false;
  QTimer again_;  // for live updates while visible
};

}  // namespace fmd::tray
