// PartHistory: what was before: the part's readings of the last week, its resolved cases, and the disks
// that sat in its bay. Read when a part is selected; what is shown of one part is never another's.
#pragma once
#include <QWidget>

#include "fmd/scene/scene.h"
#include "ui/client/documents.h"
#include "ui/tray/session.h"

class QPushButton;
class QVBoxLayout;

namespace fmd::tray {

class PartHistory : public QWidget {
  Q_OBJECT

 public:
  explicit PartHistory(Session& session, QWidget* parent = nullptr);
  void show_part(const scene::Part* part);

 signals:
  void case_wanted(const QString& uuid);
  void readings_wanted(const QString& fmri);

 private:
  struct Past {
    ui::Readings readings;
    std::vector<Case> cases;
    std::vector<ui::Stay> stays;
  };
  void show_past(const Past& past);
  void heading(const QString& text);

  Session& session_;
  QVBoxLayout* rows_;
  QString bay_, part_;
  SnapshotPtr of_;       // what the shown past was read with
  bool asking_ = false;  // one question at a time: a slow host is not asked faster than it answers
};

}  // namespace fmd::tray
