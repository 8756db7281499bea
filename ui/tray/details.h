// Details: everything about the selected part, and its actions (PartActions).
#pragma once
#include <QWidget>
#include <utility>
#include <vector>

#include "fmd/scene/scene.h"
#include "ui/tray/session.h"

class QFormLayout;
class QLabel;

namespace fmd::tray {

class PartActions;
class PartHistory;

class Details : public QWidget {
  Q_OBJECT

 public:
  explicit Details(Session& session, QWidget* parent = nullptr);

  // part: nullptr if nothing is selected.
  void show_part(const scene::Part* part);

 signals:
  void case_wanted(const QString& uuid);
  void readings_wanted(const QString& fmri);

 private:
  void show_state(scene::PartState state);
  void facts(const scene::Part& part, const Inventory& inventory);
  void card(const Resource& device);
  void place(const Resource& part, const Inventory& inventory);
  void figures(const Resource& part);
  void row(const QString& name, const std::string& value);  // text of a device; cleaned here
  void row(const QString& name, const QString& value);
  void show_facts();

  Session& session_;
  QLabel *title_, *state_, *nothing_;
  QWidget* rest_;
  QFormLayout* facts_;
  std::vector<std::pair<QString, QString>> told_;  // the facts to show
  PartActions* actions_;
  PartHistory* history_;
};

}  // namespace fmd::tray
