// Components: the parts of the pictures as a list, by chassis and kind, for screen readers, search
// by typing, and selection. The selection is synchronised with the picture.
#pragma once
#include <QTreeWidget>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fmd/scene/scene.h"

namespace fmd::tray {

class Components : public QTreeWidget {
  Q_OBJECT

 public:
  explicit Components(QWidget* parent = nullptr);

  // A part's text for the tool tip and for assistive technology.
  using Explain = std::function<QString(const scene::Part&)>;
  void explain(Explain by) { explain_ = std::move(by); }
  // Parts that remain keep their rows, so that an update does not expand or scroll anything.
  void show_scenes(const std::vector<scene::Scene>& scenes);
  void select(const QString& part);  // FMRI, "": none; emits no signal

 signals:
  void picked(const QString& fmri);  // by the user

 private:
  using Key = std::vector<std::string>;  // chassis, kind, part
  QTreeWidgetItem* row(QTreeWidgetItem* above, const Key& key, const QString& name);
  void fill(QTreeWidgetItem& item, const scene::Part& part) const;
  // Updates the rows of changed parts. False: the parts or their order have changed.
  bool change(const std::vector<scene::Scene>& scenes);

  Explain explain_;
  std::map<Key, QTreeWidgetItem*> rows_;
  struct Shown {
    QTreeWidgetItem* item;
    std::string box;  // FMRI and label of its chassis
    scene::Part part;
  };
  std::vector<Shown> shown_;  // in the order of the scenes
};

}  // namespace fmd::tray
