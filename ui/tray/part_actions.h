// PartActions: the open problems of the selected part, and its actions. An action with a
// consequence asks first and names it. The subject of a question does not change while it is open.
#pragma once
#include <QWidget>
#include <string>
#include <vector>

#include "fmd/scene/scene.h"
#include "ui/tray/session.h"

class QPushButton;
class QVBoxLayout;

namespace fmd::tray {

class PartActions : public QWidget {
  Q_OBJECT

 public:
  explicit PartActions(Session& session, QWidget* parent = nullptr);
  void show_part(const scene::Part& part, const Snapshot& snapshot);

 signals:
  void case_wanted(const QString& uuid);

 private:
  struct Accusation {
    std::string uuid, part;  // the suspect as in its case
    QString title;
    bool others = false;  // the case has further suspects
  };
  struct Subject {
    QString name;
    std::string bay, vdev, disk;
    std::vector<Accusation> accused;
    bool lit = false;
    QString without;  // redundancy left without it
  };
  struct Told {  // a case, as displayed
    std::string uuid;
    QString title, action;
    bool operator==(const Told&) const = default;
  };
  QPushButton* button(const QString& text, void (PartActions::*what)(Subject about));
  void list_cases(const scene::Part& part, const Snapshot& snapshot);
  void show_buttons(const scene::Part& part, const Snapshot& snapshot);
  void locate(Subject about);
  void take_out(Subject about);
  void put_back(Subject about);
  void repaired(Subject about);
  void replaced(Subject about);
  void acquit(Subject about);
  void test(Subject about);
  void judge(const char* verdict, const QString& what, const Subject& about, bool force);

  Session& session_;
  QVBoxLayout* cases_;
  QPushButton *locate_, *out_, *in_, *test_, *repaired_, *replaced_, *acquit_;
  Subject about_;
  std::vector<Told> told_;
};

// The redundancy without that vdev or array member: "raidz2-0 will survive 1 more loss".
QString consequence_of(const Resource& vdev);

}  // namespace fmd::tray
