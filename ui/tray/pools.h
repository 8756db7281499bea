// Pools: pools, their vdevs, and which disk in which bay each leaf is on.
#pragma once
#include <QWidget>

#include "ui/tray/session.h"

class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace fmd::tray {

class Pools : public QWidget {
  Q_OBJECT

 public:
  explicit Pools(Session& session, QWidget* parent = nullptr);

  void refresh();
  // Marks the leaf on that disk, without a word to anybody.
  void mark(const QString& disk);

 signals:
  void part_wanted(const QString& fmri);
  void marked(const QStringList& disks);  // those below what is selected
  void group_wanted(const QStringList& disks);

 private:
  void add(QTreeWidgetItem* to, const Inventory& inventory, const Resource& resource);

  Session& session_;
  QLabel* none_;
  QTreeWidget* tree_;
};

}  // namespace fmd::tray
