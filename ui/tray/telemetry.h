// Telemetry: any reading over time, of the parts one chooses, broken down by part, pool or chassis, with
// the faults of that time marked; to be zoomed, and written to PNG and CSV.
#pragma once
#include <QWidget>

#include "ui/tray/chart_lines.h"
#include "ui/tray/session.h"

class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;

namespace fmd::tray {

class TimeChart;

class Telemetry : public QWidget {
  Q_OBJECT

 public:
  explicit Telemetry(Session& session, QWidget* parent = nullptr);

  void refresh();
  // That part alone, all time that is chosen.
  void show_part(const QString& fmri);

 signals:
  void part_wanted(const QString& fmri);

 protected:
  void showEvent(QShowEvent*) override;

 private:
  struct Answer {
    std::vector<PartSeries> series;
    std::vector<Case> cases;
    QString damage;
  };
  void fill_parts();
  void fill_names();
  void ask();
  void took(Result<Answer> answer, unsigned of);
  void draw();
  void chose_line(const QString& key);
  void save();

  Session& session_;
  QListWidget* parts_;
  QComboBox *names_, *by_, *time_;
  QPushButton *save_, *whole_;
  TimeChart* chart_;
  QLabel* note_;
  Answer read_;
  unsigned query_ = 0;  // answers to an earlier one are dropped
  bool stale_ = true, asking_ = false;
};

}  // namespace fmd::tray
