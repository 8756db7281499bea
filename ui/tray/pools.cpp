#include "ui/tray/pools.h"

#include <QHeaderView>
#include <QLabel>
#include <QStyledItemDelegate>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <QVBoxLayout>
#include <set>

#include "ui/client/surroundings.h"
#include "ui/tray/canvas.h"
#include "ui/tray/part_words.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

enum PoolColumn {
  kPoolName,
  kPoolState,
  kPoolBay,
  kPoolSerial,
  kPoolErrors,
  kPoolWork,
  kPoolColumns
};
constexpr int kPoolDisk = Qt::UserRole, kPoolFmri = Qt::UserRole + 1;
constexpr int kBetween = 14;  // columns, pixels

class RoomyRows : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    return QStyledItemDelegate::sizeHint(option, index) + QSize(0, 8);
  }
};

QString errors_of(const Resource& vdev) {
  QStringList counts;
  for (const char* name : {"read_errors", "write_errors", "checksum_errors"})
    counts << clean_text(vdev.get(name));
  return counts.join('/') == "//" ? QString() : counts.join(" / ");
}

QString work_of(const Inventory& inventory, const Resource& resource) {
  if (resource.type == "zfs-pool") {
    const ui::Scan scan = ui::scan_of(resource);
    return scan.running() ? work_words(scan) + ", " + progress_words(scan)
                          : QString::fromStdString(scan.last);
  }
  const std::string by = resource.get("replacing");
  if (!by.empty())
    return Pools::tr("being replaced by %1").arg(clean_text(ui::part_words(inventory, by)));
  if (resource.get("spare") == "resilvering") return Pools::tr("a spare is resilvering");
  if (resource.get("spare") == "active") return Pools::tr("a spare has taken over");
  return {};
}

QStringList disks_below(const QTreeWidgetItem& item) {
  QStringList disks;
  if (const QString own = item.data(kPoolName, kPoolDisk).toString(); !own.isEmpty()) disks << own;
  for (int i = 0; i < item.childCount(); ++i) disks << disks_below(*item.child(i));
  return disks;
}

}  // namespace

Pools::Pools(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
  none_ = new QLabel(tr("No pools found."));
  none_->setAlignment(Qt::AlignCenter);
  tree_ = new QTreeWidget;
  tree_->setColumnCount(kPoolColumns);
  tree_->setHeaderLabels({tr("Pool"), tr("State"), tr("Bay"), tr("Serial"),
                          tr("Read / write / checksum errors"), tr("Work")});
  tree_->setAccessibleName(tr("Pools and their disks"));
  tree_->setUniformRowHeights(true);
  tree_->setAlternatingRowColors(true);
  tree_->setItemDelegate(new RoomyRows(tree_));
  auto* all = new QVBoxLayout(this);
  all->addWidget(none_);
  all->addWidget(tree_);
  connect(tree_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
    const QString disk = item->data(kPoolName, kPoolDisk).toString();
    if (!disk.isEmpty()) return emit part_wanted(disk);
    if (const QStringList disks = disks_below(*item); !disks.isEmpty()) emit group_wanted(disks);
  });
  connect(tree_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
    if (item) emit marked(disks_below(*item));
  });
}

void Pools::add(QTreeWidgetItem* to, const Inventory& inventory, const Resource& resource) {
  auto* item = to ? new QTreeWidgetItem(to) : new QTreeWidgetItem(tree_);
  const std::string name = resource.get("name").empty() ? resource.fmri : resource.get("name");
  const bool pool = resource.type == "zfs-pool";
  item->setText(kPoolName, clean_text(name));
  item->setData(kPoolName, kPoolFmri, QString::fromStdString(resource.fmri));
  item->setText(kPoolState, clean_text(pool ? resource.get("health") : resource.get("state")));
  item->setText(kPoolErrors, errors_of(resource));
  item->setText(kPoolWork, work_of(inventory, resource));
  const QString state = item->text(kPoolState);
  if (!state.isEmpty() && state != "ONLINE" && state != "AVAIL" && state != "INUSE") {
    const bool grave = state != "DEGRADED";
    item->setBackground(kPoolState, qt_colour(grave ? scene::Ink::faulted : scene::Ink::degraded,
                                              scene::Theme::light));
    item->setForeground(kPoolState,
                        qt_colour(grave ? scene::Ink::faulted_text : scene::Ink::degraded_text,
                                  scene::Theme::light));
  }
  for (const Resource* below : ui::members_of(inventory, resource)) {
    if (below->type == "zfs-vdev") {
      add(item, inventory, *below);
    } else if (below->type == "disk") {
      item->setText(kPoolName, clean_text(below->get("path").empty() ? name : below->get("path")));
      item->setText(kPoolBay, clean_text(inventory.location(below->fmri)));
      item->setText(kPoolSerial, clean_text(below->get("serial")));
      item->setData(kPoolName, kPoolDisk, QString::fromStdString(below->fmri));
    }
  }
}

void Pools::refresh() {
  const SnapshotPtr snapshot = session_.snapshot();
  if (!snapshot) return;
  // What was folded and selected stays so.
  std::set<QString> folded;
  const QString selected = tree_->currentItem()
                               ? tree_->currentItem()->data(kPoolName, kPoolFmri).toString()
                               : QString();
  for (QTreeWidgetItemIterator it(tree_); *it; ++it)
    if ((*it)->childCount() > 0 && !(*it)->isExpanded())
      folded.insert((*it)->data(kPoolName, kPoolFmri).toString());
  const QSignalBlocker quiet(tree_);
  tree_->clear();
  for (const auto& [fmri, resource] : snapshot->inventory.all())
    if (resource.type == "zfs-pool" && resource.present)
      add(nullptr, snapshot->inventory, resource);
  for (QTreeWidgetItemIterator it(tree_); *it; ++it) {
    const QString fmri = (*it)->data(kPoolName, kPoolFmri).toString();
    (*it)->setExpanded(!folded.contains(fmri));
    if (fmri == selected) tree_->setCurrentItem(*it);
  }
  for (int column = 0; column + 1 < kPoolColumns; ++column) {
    tree_->resizeColumnToContents(column);
    tree_->setColumnWidth(column, tree_->columnWidth(column) + kBetween);
  }
  none_->setVisible(tree_->topLevelItemCount() == 0);
  tree_->setVisible(tree_->topLevelItemCount() > 0);
}

void Pools::mark(const QString& disk) {
  for (QTreeWidgetItemIterator it(tree_); *it; ++it)
    if ((*it)->data(kPoolName, kPoolDisk).toString() == disk) {
      const QSignalBlocker quiet(tree_);
      tree_->setCurrentItem(*it);
      tree_->scrollToItem(*it);
      return;
    }
}

}  // namespace fmd::tray
