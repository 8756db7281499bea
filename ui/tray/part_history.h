// PartHistory: the past of a part: readings of the last week, its resolved cases, and earlier disks
// of its bay with theirs. Read when a part is selected; never shows another part's data.
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
  struct Before {  // an earlier disk of the bay
    ui::Stay stay;
    std::vector<Case> cases;  // all cases of that disk
  };
  struct Past {
    ui::Readings readings;
    std::vector<Case> cases;
    std::vector<Before> before;  // newest first
    QStringList troubles;        // read errors
  };
  static Result<std::vector<Before>> read_before(ui::Client& client, const std::string& bay);
  void show_past(const Past& past);
  void show_readings(const ui::Readings& readings);
  void show_before(const std::vector<Before>& before);
  void list_case(const Case& c, int indent);
  void heading(const QString& text);

  Session& session_;
  QVBoxLayout* rows_;
  QString bay_, part_;
  SnapshotPtr of_;       // the snapshot of the displayed past
  bool asking_ = false;  // one query at a time, so that a slow host is not overloaded
};

}  // namespace fmd::tray
