// Details: everything about the selected part, and what may be done with it.
#pragma once
#include <QWidget>

#include "fmd/scene/scene.h"
#include "ui/tray/session.h"

class QFormLayout;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace fmd::tray {

class PartHistory;

class Details : public QWidget {
  Q_OBJECT

 public:
  explicit Details(Session& session, QWidget* parent = nullptr);

  // part: nullptr, nothing is selected.
  void show_part(const scene::Part* part);

 signals:
  void case_wanted(const QString& uuid);
  void readings_wanted(const QString& fmri);

 private:
  void show_state(scene::PartState state);
  void facts(const scene::Part& part, const Inventory& inventory);
  void cases(const scene::Part& part, const Snapshot& snapshot);
  void buttons(const scene::Part& part, const Snapshot& snapshot);
  void row(const QString& name, const std::string& value);  // of a device: cleaned here
  void row(const QString& name, const QString& value);
  bool sure(const QString& question, const QString& consequence);

  Session& session_;
  QLabel *title_, *state_, *nothing_;
  QWidget* rest_;
  QFormLayout* facts_;
  QVBoxLayout* cases_;
  PartHistory* history_;
  QPushButton *locate_, *out_, *in_, *test_, *repaired_, *acquit_;
  QString bay_, vdev_, disk_, case_;
  bool lit_ = false;
  QString consequence_;
};

// What taking that vdev out of service leaves: "raidz2-0 then survives 1 more loss".
QString consequence_of(const Inventory& inventory, const Resource& vdev);

}  // namespace fmd::tray
