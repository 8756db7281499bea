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
  // Selects it or what it is in, in whichever chassis that is; false: it is in no picture.
  bool show_part(const QString& fmri);
  // Outlines the bays that are reached through it; false: there are none.
  bool show_behind(const QString& fmri);
  void mark(const QStringList& parts);  // outlined, until a part is chosen

 signals:
  void case_wanted(const QString& uuid);
  void readings_wanted(const QString& fmri);
  void picked(const QString& fmri);  // by a person; the disk, where the bay holds one

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
  QString undescribed_;  // FMRI of a chassis in the picture that nobody has described
  ChassisView* view_;
  Components* components_;
  Legend* legend_;
  QLabel* pools_;   // those in trouble, whose bays are framed
  QLabel* orders_;  // which disk to pull first, which old one to take out
  QPointer<MapHelper> helper_;
  Details* details_;
  bool looked_ = false;  // the worst part was selected once, or a person chose one
};

}  // namespace fmd::tray
