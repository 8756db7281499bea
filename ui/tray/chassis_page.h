// ChassisPage: the picture of one chassis, coloured by state or by a reading, and the selected part.
#pragma once
#include <QPointer>
#include <QWidget>

#include "ui/tray/session.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;

namespace fmd::tray {

class ChassisView;
class Components;
class Legend;
class Details;
class MapHelper;

class ChassisPage : public QWidget {
  Q_OBJECT

 public:
  explicit ChassisPage(Session& session, QWidget* parent = nullptr);

  void refresh();
  // Selects the part or its container, in whichever chassis; false: it is in no picture.
  bool show_part(const QString& fmri);
  // Outlines the bays that are reached through the part; false: there are none.
  bool show_behind(const QString& fmri);
  void mark(const QStringList& parts);  // outlines these until a part is selected

 signals:
  void case_wanted(const QString& uuid);
  void readings_wanted(const QString& fmri);
  void picked(const QString& fmri);  // by the user; the disk, if the bay has one

 private:
  bool turn_to(const QString& fmri);
  void refresh_picture();
  void refresh_heat();
  void fill_chassis(const Snapshot& snapshot);
  void fill_colours(const Snapshot& snapshot);

  Session& session_;
  QComboBox *chassis_, *colours_;
  QCheckBox* domains_;
  QPushButton* describe_;
  QString undescribed_;  // FMRI of a shown chassis without a description
  ChassisView* view_;
  Components* components_;
  Legend* legend_;
  QLabel* pools_;   // impaired pools, whose bays are framed
  QLabel* orders_;  // which disk to pull first, which old one to remove
  QPointer<MapHelper> helper_;
  Details* details_;
  bool looked_ = false;  // the worst part was selected once, or the user selected one
};

}  // namespace fmd::tray
