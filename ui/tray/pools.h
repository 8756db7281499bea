// Pools: ZFS pools, md arrays, btrfs file systems and LVM volumes, their members, and the disk and
// bay of each.
#pragma once
#include <QStringList>
#include <QWidget>
#include <vector>

#include "ui/tray/session.h"

class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace fmd::ui {
class Verdicts;
}

namespace fmd::tray {

class Pools : public QWidget {
  Q_OBJECT

 public:
  explicit Pools(Session& session, QWidget* parent = nullptr);

  void refresh();
  // Marks the leaf on that disk; emits no signal.
  void mark(const QString& disk);
  bool show_row(const QString& fmri);  // selects a pool or a member; false: not found

 signals:
  void part_wanted(const QString& fmri);
  void marked(const QStringList& disks);  // the disks below the selection
  void group_wanted(const QStringList& disks);

 private:
  struct Row {
    int depth;
    QString fmri;
    QStringList texts;         // one per column
    QString disk;              // FMRI; "": none
    int weight;                // of the state: 0 good, 1 in between, 2 bad
    Health sign = Health::ok;  // from the open cases about it or its disk
    bool operator==(const Row&) const = default;
  };
  static void add(std::vector<Row>& rows, int depth, const Inventory& inventory,
                  const Resource& resource);
  static void add_others(std::vector<Row>& rows, const Inventory& inventory, const Resource& pool);
  static void accuse(Row& row, const ui::Verdicts& verdicts);
  static void fill(QTreeWidgetItem& item, const Row& row);
  void rebuild();

  Session& session_;
  QLabel* none_;
  QTreeWidget* tree_;
  std::vector<Row> rows_;  // as displayed
  QString wanted_;         // a disk to be marked once it appears
};

}  // namespace fmd::tray
