// PartHistory: what was before: the part's readings of the last week, its resolved cases, and the disks
// that sat in its bay with theirs. Read when a part is selected; what is shown of one part is never another's.
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
  struct Before {  // a disk that sat in the bay
    ui::Stay stay;
    std::vector<Case> cases;  // all of that disk's
  };
  struct Past {
    ui::Readings readings;
    std::vector<Case> cases;
    std::vector<Before> before;  // newest first
    QStringList troubles;        // what could not be read, and why
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
  SnapshotPtr of_;       // what the shown past was read with
  bool asking_ = false;  // one question at a time: a slow host is not asked faster than it answers
};

}  // namespace fmd::tray
