// MapHelper: describes a chassis that nobody has described, in the picture: a bay blinks, a person clicks where it is.
// One without a light is found by its disk's serial number, or by pulling the disk. At the end there is a file for
// /etc/fmd/chassis.d. The light goes out with the window: fmd puts it out when its connection ends.
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
  // chassis: FMRI. Of a chassis without bays it says so, and nothing can be clicked.
  MapHelper(Session& session, const QString& chassis, QWidget* parent = nullptr);

  // The file as it would be written now.
  Result<std::string> description() const;
  Result<void> write(const QString& path) const;
  // The bay that is asked for is there: "ROW COLUMN". again: the second click of a double one.
  void place(const QString& cell, bool again);

 signals:
  void asked();  // for the next bay; its light is on, or cannot be switched on

 private:
  void build();
  QWidget* build_side();
  void choose_own(bool own);
  void begin(bool of_host);
  void go_to(size_t at, bool pulled);
  void next();
  void light(const std::string& bay);  // "": none
  void lit(const QString& why);        // "": it blinks
  void look();                         // at what changed: a light, a disk that was pulled
  void shape();                        // the side's rows, columns and height changed
  void draw();
  void take_back();
  void save();
  QString holds(const Resource& bay) const;

  Session& session_;
  const QString chassis_;
  const SnapshotPtr of_;  // the bays are that one's
  mapping::Work work_;
  mapping::Answers answers_;
  size_t at_ = 0;                            // == work_.bays.size(): all have been asked for
  std::vector<size_t> asked_;                // bays that were placed or skipped, in that order
  std::map<std::string, std::string> held_;  // by bay: the disk seen in it last
  Reader light_;
  unsigned turn_ = 0;  // answers about an earlier bay's light are dropped
  ChassisView* view_;
  QLabel *prompt_, *hint_, *count_, *problem_;
  QLineEdit *name_, *label_;
  QComboBox* side_;
  QSpinBox *rows_, *columns_, *height_;
  QCheckBox* own_;
  QPushButton *skip_, *back_, *save_;
};

}  // namespace fmd::tray
