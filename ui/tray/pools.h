// Pools: of ZFS, and arrays of md, file systems of btrfs and volumes of LVM; their members, and which disk in which bay
// each is on.
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
  // Marks the leaf on that disk, without a word to anybody.
  void mark(const QString& disk);
  bool show_row(const QString& fmri);  // selects a pool or a member; false: it is not there

 signals:
  void part_wanted(const QString& fmri);
  void marked(const QStringList& disks);  // those below what is selected
  void group_wanted(const QStringList& disks);

 private:
  struct Row {
    int depth;
    QString fmri;
    QStringList texts;         // a column each
    QString disk;              // FMRI; "" none
    int weight;                // of its state: 0 well, 1 in between, 2 grave
    Health sign = Health::ok;  // by the open cases that accuse it or its disk
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
  std::vector<Row> rows_;  // as shown
  QString wanted_;         // a disk that is to be marked and was not there yet
};

}  // namespace fmd::tray
