// Telemetry: any reading that there is over time, or two of them, of the parts one chooses, broken down by part, pool, chassis or
// host, with the faults of that time marked; live, to be zoomed, and written to PNG and CSV.
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
  // That part alone, all time that is chosen.
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
  void learn();  // which readings there are, and then ask()
  void ask();
  void ask_others();
  void took(Result<History> answer, unsigned of);
  void draw();
  void chose_line(const QString& key);
  void save();
  std::vector<ChartLine> lines() const;
  std::vector<std::string> wanted_parts() const;
  std::vector<std::string> names() const;  // of the readings that are chosen
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
  QWidget* picture_;  // both of them
  QLabel* note_;
  Measured measured_;
  History read_;
  QDateTime read_at_;
  std::map<QString, std::vector<ChartLine>> others_;  // by host: its line, where hosts are compared
  unsigned query_ = 0;                                // answers to an earlier one are dropped
  bool stale_ = true, asking_ = false;
  QTimer again_;  // live, while it is looked at
};

}  // namespace fmd::tray
