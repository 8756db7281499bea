// Components: what is in the pictures as a list, by chassis and kind: to be read out, searched by typing, and to choose from.
// What is chosen here is selected in the picture, and the other way round.
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

  // What it is for a tool tip, and for assistive technology.
  using Explain = std::function<QString(const scene::Part&)>;
  void explain(Explain by) { explain_ = std::move(by); }
  // What is there still keeps its row: nothing is folded out, or scrolled, by news.
  void show_scenes(const std::vector<scene::Scene>& scenes);
  void select(const QString& part);  // FMRI; "" none; without a word to anybody

 signals:
  void picked(const QString& fmri);  // by a person

 private:
  using Key = std::vector<std::string>;  // chassis, kind, part
  QTreeWidgetItem* row(QTreeWidgetItem* above, const Key& key, const QString& name);
  void fill(QTreeWidgetItem& item, const scene::Part& part) const;
  // Where the same parts are there in the same order: fills the rows of those that have changed. False: they are not.
  bool change(const std::vector<scene::Scene>& scenes);

  Explain explain_;
  std::map<Key, QTreeWidgetItem*> rows_;
  struct Shown {
    QTreeWidgetItem* item;
    std::string box;  // of its chassis: FMRI and label
    scene::Part part;
  };
  std::vector<Shown> shown_;  // in the order of the scenes
};

}  // namespace fmd::tray
