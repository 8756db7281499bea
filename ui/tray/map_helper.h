// MapHelper: describes a chassis in its picture: a bay's LED blinks, and the user clicks where it
// is. A bay without an LED is found by its disk's serial number, or by pulling the disk. The result
// is a file for /etc/fmd/chassis.d. fmd switches the LED off when the window's connection ends.
#pragma once
#include <QDialog>
#include <map>
#include <string>
#include <vector>

#include "fmd/base/result.h"
#include "ui/mapping/work.h"
#include "ui/tray/reader.h"
#include "ui/tray/session.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace fmd::tray {

class ChassisView;

class MapHelper : public QDialog {
  Q_OBJECT

 public:
  // chassis: FMRI. For a chassis without bays it only shows a message.
  MapHelper(Session& session, const QString& chassis, QWidget* parent = nullptr);

  // The description as it would be saved now.
  Result<std::string> description() const;
  Result<void> write(const QString& path) const;
  // The current bay is at "ROW COLUMN". again: the second click of a double click.
  void place(const QString& cell, bool again);

 signals:
  void asked();  // for the next bay; its LED is on, or cannot be switched on

 private:
  void build();
  QWidget* build_side();
  void choose_own(bool own);
  void begin(bool of_host);
  void go_to(size_t at, bool pulled);
  void next();
  void light(const std::string& bay);  // "": none
  void lit(const QString& why);        // why the LED does not blink; "" if it does
  void look();                         // checks for changes: an LED, a disk that was pulled
  void shape();                        // after a change of the side's rows, columns or height
  void draw();
  void take_back();
  void save();
  QString holds(const Resource& bay) const;

  Session& session_;
  const QString chassis_;
  const SnapshotPtr of_;  // owns the bays
  mapping::Work work_;
  mapping::Answers answers_;
  size_t at_ = 0;                            // == work_.bays.size(): all bays are done
  std::vector<size_t> asked_;                // bays placed or skipped, in that order
  std::map<std::string, std::string> held_;  // by bay: the disk last seen in it
  Reader light_;
  unsigned turn_ = 0;  // number of the current bay's request; earlier answers are dropped
  ChassisView* view_;
  QLabel *prompt_, *hint_, *count_, *problem_;
  QLineEdit *name_, *label_;
  QComboBox* side_;
  QSpinBox *rows_, *columns_, *height_;
  QCheckBox* own_;
  QPushButton *skip_, *back_, *save_;
};

}  // namespace fmd::tray
