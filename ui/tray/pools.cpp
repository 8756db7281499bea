#include "ui/tray/pools.h"

#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <QVBoxLayout>
#include <algorithm>
#include <set>
#include <string_view>

#include "fmd/scene/part_state.h"
#include "ui/client/surroundings.h"
#include "ui/client/verdicts.h"
#include "ui/tray/canvas.h"
#include "ui/tray/health_icon.h"
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
constexpr int kBetween = 14;  // between columns, in pixels

class RoomyRows : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    return QStyledItemDelegate::sizeHint(option, index) + QSize(0, 8);
  }
};

QString errors_of(const Resource& one) {
  if (one.type == "btrfs-device" && !one.get("io_errors").empty())
    return Pools::tr("%1 I/O, %2 checksum")
        .arg(clean_text(one.get("io_errors")), clean_text(one.get("corruption_errors")));
  if (one.type == "md-member" && !one.get("read_errors_corrected").empty())
    return Pools::tr("%1 corrected").arg(clean_text(one.get("read_errors_corrected")));
  QStringList counts;
  for (const char* name : {"read_errors", "write_errors", "checksum_errors"})
    counts << clean_text(one.get(name));
  return counts.join('/') == "//" ? QString() : counts.join(" / ");
}

// The part that a spare in use stands in for.
QString stand_in_words(const Inventory& inventory, const Resource& spare) {
  const std::string pool = spare.fmri.substr(0, spare.fmri.find("/vdev="));
  const auto& all = inventory.all();
  for (auto it = all.lower_bound(pool); it != all.end() && it->first.starts_with(pool); ++it) {
    const Resource& leaf = it->second;
    if (!leaf.present || !leaf.is("spare_by", spare.fmri)) continue;
    const ui::PartNames names = ui::names_of(inventory, leaf.fmri);
    const QString place = !names.place.empty() ? clean_text(names.place)
                          : !names.serial.empty()
                              ? Pools::tr("disk %1").arg(clean_text(names.serial))
                              : clean_text(names.name);
    return leaf.is("spare", "resilvering") ? Pools::tr("is filled to stand in for %1").arg(place)
                                           : Pools::tr("stands in for %1").arg(place);
  }
  return Pools::tr("a spare, in use");
}

// Another member of its group is being replaced by it.
bool replaces_another(const Inventory& inventory, const Resource& one) {
  for (const Resource* group : inventory.parents(one.fmri, Relation::redundancy))
    for (const Edge& edge : group->edges) {
      const Resource* member =
          edge.relation == Relation::redundancy ? inventory.find(edge.to) : nullptr;
      if (member && member->present && member->is("replacing", one.fmri)) return true;
    }
  return false;
}

QString work_of(const Inventory& inventory, const Resource& resource) {
  if (is_storage(resource)) {
    const ui::Scan scan = ui::scan_of(resource);
    if (scan.running()) return work_words(scan) + ", " + progress_words(scan);
    if (const QString doing = clean_text(resource.get("operation")); !doing.isEmpty())
      return doing == "none" ? QString() : doing;
    return clean_text(scan.last.empty() ? resource.get("reason") : scan.last);
  }
  const std::string by = resource.get("replacing");
  if (!by.empty()) return Pools::tr("being replaced by %1").arg(part_name(inventory, by));
  if (replaces_another(inventory, resource))
    return Pools::tr("the new disk, which is being filled");
  if (scene::is_idle_spare(resource))
    return resource.is("device", "missing") ? Pools::tr("a spare whose disk is missing")
                                            : Pools::tr("a spare, for when it is needed");
  if (resource.is("role", "spare")) return stand_in_words(inventory, resource);
  if (resource.is("role", "cache")) return Pools::tr("a cache");
  if (resource.get("spare") == "resilvering") return Pools::tr("a spare is being filled");
  if (resource.get("spare") == "active") return Pools::tr("a spare has taken over");
  return {};
}

QString name_of(const Resource& one) {
  QString name = clean_text(one.get("name").empty() ? one.fmri : one.get("name"));
  if (one.type == "btrfs") return name + " (btrfs)";
  if (one.type != "md-array" && one.type != "lvm-volume") return name;
  const QString level = clean_text(one.get("level"));
  return name + " (" + (one.type == "md-array" ? "md" : "LVM") +
         (level.isEmpty() ? level : ", " + level) + ")";
}

// The state as ZFS, md or LVM reports it; for btrfs our own words.
QString state_of(const Resource& one) {
  if (one.type == "btrfs") {
    const int missing = static_cast<int>(ui::number_of(one, "missing", 0));
    return missing > 0 ? Pools::tr("%n device(s) missing", nullptr, missing)
                       : Pools::tr("complete");
  }
  if (one.is("observed", "not-observed")) return Pools::tr("not responding");
  return clean_text(is_storage(one) ? one.get("health") : one.get("state"));
}

// Severity of the state: 0 good, 1 in between, 2 bad.
int weight_of(const Resource& one) {
  if (one.type == "btrfs") return ui::number_of(one, "missing", 0) > 0 ? 2 : 0;
  if (one.is("observed", "not-observed")) return 2;
  const std::string state = is_storage(one) ? one.get("health") : one.get("state");
  constexpr std::string_view kWell[] = {"",        "ONLINE",  "AVAIL", "INUSE",
                                        "optimal", "in-sync", "spare", "ok"};
  // OFFLINE and REMOVED: no error of the disk; the chassis shows its bay in the same colour.
  constexpr std::string_view kDegraded[] = {"DEGRADED", "OFFLINE",    "REMOVED",
                                            "degraded", "rebuilding", "want-replacement"};
  if (std::find(std::begin(kWell), std::end(kWell), state) != std::end(kWell)) return 0;
  return std::find(std::begin(kDegraded), std::end(kDegraded), state) != std::end(kDegraded) ? 1
                                                                                             : 2;
}

QStringList disks_below(const QTreeWidgetItem& item) {
  QStringList disks;
  if (const QString own = item.data(kPoolName, kPoolDisk).toString(); !own.isEmpty()) disks << own;
  for (int i = 0; i < item.childCount(); ++i) disks << disks_below(*item.child(i));
  return disks;
}

}  // namespace

Pools::Pools(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
  none_ = new QLabel(tr("No pools, arrays or volumes found."));
  none_->setAlignment(Qt::AlignCenter);
  tree_ = new QTreeWidget;
  tree_->setColumnCount(kPoolColumns);
  tree_->setHeaderLabels({tr("Pool"), tr("State"), tr("Bay"), tr("Serial"),
                          tr("Errors: read / write / checksum"), tr("Work")});
  tree_->setAccessibleName(tr("Pools and their disks"));
  tree_->setUniformRowHeights(true);
  tree_->setAlternatingRowColors(true);
  tree_->setItemDelegate(new RoomyRows(tree_));
  auto* all = new QVBoxLayout(this);
  all->addWidget(none_);
  all->addWidget(tree_);
  tree_->hide();
  connect(tree_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
    const QString disk = item->data(kPoolName, kPoolDisk).toString();
    if (!disk.isEmpty()) return emit part_wanted(disk);
    if (const QStringList disks = disks_below(*item); !disks.isEmpty()) emit group_wanted(disks);
  });
  connect(tree_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
    wanted_.clear();
    if (item) emit marked(disks_below(*item));
  });
}

void Pools::add(std::vector<Row>& rows, int depth, const Inventory& inventory,
                const Resource& resource) {
  Row row{depth, QString::fromStdString(resource.fmri), {}, {}, weight_of(resource)};
  row.texts = {name_of(resource),   state_of(resource),          {}, {},
               errors_of(resource), work_of(inventory, resource)};
  const auto put = [&](Row& to, const Resource& disk) {
    if (!disk.get("path").empty()) to.texts[kPoolName] = clean_text(disk.get("path"));
    to.texts[kPoolBay] = clean_text(inventory.location(disk.fmri));
    to.texts[kPoolSerial] = clean_text(disk.get("serial"));
    to.disk = QString::fromStdString(disk.fmri);
  };
  const auto members = ui::members_of(inventory, resource);
  // A leaf vdev is shown as its disk; a volume's disks are listed below it.
  if (!is_storage(resource) && members.size() == 1 && members[0]->type == "disk")
    put(row, *members[0]);
  // The disk has left: its serial number is still known.
  const bool gone = !is_storage(resource) && members.empty();
  if (gone) row.texts[kPoolSerial] = clean_text(ui::names_of(inventory, resource.fmri).serial);
  const bool leaf = !row.disk.isEmpty();
  rows.push_back(std::move(row));
  if (leaf || depth > 16) return;
  for (const Resource* below : members) {
    if (below->type != "disk") {
      add(rows, depth + 1, inventory, *below);
      continue;
    }
    Row on{depth + 1, QString::fromStdString(below->fmri), {}, {}, 0};
    on.texts = {name_of(*below), {}, {}, {}, {}, {}};
    put(on, *below);
    rows.push_back(std::move(on));
  }
}

// Spares and cache devices of a ZFS pool, which are in no group.
void Pools::add_others(std::vector<Row>& rows, const Inventory& inventory, const Resource& pool) {
  const std::string vdevs = pool.fmri + "/vdev=";
  for (auto it = inventory.all().lower_bound(vdevs);
       it != inventory.all().end() && it->first.starts_with(vdevs); ++it)
    if (it->second.present && inventory.parents(it->first, Relation::redundancy).empty())
      add(rows, 1, inventory, it->second);
}

// Adds the sign of an open case: ZFS may report ONLINE for a disk that returns garbage.
void Pools::accuse(Row& row, const ui::Verdicts& verdicts) {
  const Case* found = verdicts.gravest(row.disk.toStdString());
  if (!found) found = verdicts.gravest(row.fmri.toStdString());
  if (!found) return;
  // A disk that has left its bay is named by it in its case.
  for (const Suspect& s : found->suspects)
    if (row.texts[kPoolBay].isEmpty() && s.asru == row.fmri.toStdString())
      row.texts[kPoolBay] = clean_text(s.location);
  row.sign = severity_rank(found->severity) >= 2 ? Health::faulted : Health::degraded;
  if (row.texts[kPoolWork].isEmpty())
    row.texts[kPoolWork] = clean_text(found->title.empty() ? found->code : found->title);
}

void Pools::fill(QTreeWidgetItem& item, const Row& row) {
  for (int column = 0; column < kPoolColumns; ++column)
    if (item.text(column) != row.texts[column]) item.setText(column, row.texts[column]);
  item.setIcon(kPoolName, row.sign == Health::ok ? QIcon() : health_icon(row.sign));
  item.setData(kPoolName, kPoolFmri, row.fmri);
  item.setData(kPoolName, kPoolDisk, row.disk);
  const auto ink = [&](scene::Ink bad, scene::Ink between) {
    return row.weight == 0 ? QBrush()
                           : QBrush(qt_colour(row.weight > 1 ? bad : between, scene::Theme::light));
  };
  item.setBackground(kPoolState, ink(scene::Ink::faulted, scene::Ink::degraded));
  item.setForeground(kPoolState, ink(scene::Ink::faulted_text, scene::Ink::degraded_text));
}

// Rebuilds the tree, keeping folds, selection and scroll position.
void Pools::rebuild() {
  std::set<QString> folded;
  const auto fmri_of = [](const QTreeWidgetItem& item) {
    return item.data(kPoolName, kPoolFmri).toString();
  };
  const QString selected = tree_->currentItem() ? fmri_of(*tree_->currentItem()) : QString();
  const int at = tree_->verticalScrollBar()->value();
  for (QTreeWidgetItemIterator it(tree_); *it; ++it)
    if ((*it)->childCount() > 0 && !(*it)->isExpanded()) folded.insert(fmri_of(**it));
  tree_->clear();
  std::vector<QTreeWidgetItem*> above;
  for (const Row& row : rows_) {
    above.resize(static_cast<size_t>(row.depth));
    auto* item = above.empty() ? new QTreeWidgetItem(tree_) : new QTreeWidgetItem(above.back());
    fill(*item, row);
    above.push_back(item);
  }
  for (QTreeWidgetItemIterator it(tree_); *it; ++it) {
    (*it)->setExpanded(!folded.contains(fmri_of(**it)));
    if (fmri_of(**it) == selected) tree_->setCurrentItem(*it);
  }
  tree_->verticalScrollBar()->setValue(at);
}

void Pools::refresh() {
  const SnapshotPtr snapshot = session_.snapshot();
  if (!snapshot) return;
  std::vector<Row> rows;
  for (const auto& [fmri, resource] : snapshot->inventory.all())
    if (is_storage(resource) && resource.present) {
      add(rows, 0, snapshot->inventory, resource);
      if (resource.type == "zfs-pool") add_others(rows, snapshot->inventory, resource);
    }
  ui::Verdicts verdicts;
  for (const Case& open : snapshot->cases) verdicts.add(open);
  for (Row& row : rows) accuse(row, verdicts);
  if (rows == rows_) return;
  const bool same_shape =
      std::equal(rows.begin(), rows.end(), rows_.begin(), rows_.end(),
                 [](const Row& a, const Row& b) { return a.depth == b.depth && a.fmri == b.fmri; });
  rows_ = std::move(rows);
  const QSignalBlocker quiet(tree_);
  if (same_shape) {
    auto row = rows_.begin();
    for (QTreeWidgetItemIterator it(tree_); *it; ++it) fill(**it, *row++);
  } else {
    rebuild();
  }
  for (int column = 0; column + 1 < kPoolColumns; ++column) {
    tree_->resizeColumnToContents(column);
    tree_->setColumnWidth(column, tree_->columnWidth(column) + kBetween);
  }
  none_->setVisible(rows_.empty());
  tree_->setVisible(!rows_.empty());
  if (!wanted_.isEmpty()) mark(QString(wanted_));
}

bool Pools::show_row(const QString& fmri) {
  for (QTreeWidgetItemIterator it(tree_); *it; ++it)
    if ((*it)->data(kPoolName, kPoolFmri).toString() == fmri) {
      tree_->setCurrentItem(*it);
      tree_->scrollToItem(*it);
      tree_->setFocus();
      return true;
    }
  return false;
}

void Pools::mark(const QString& disk) {
  wanted_ = disk;
  for (QTreeWidgetItemIterator it(tree_); *it; ++it)
    if ((*it)->data(kPoolName, kPoolDisk).toString() == disk) {
      const QSignalBlocker quiet(tree_);
      tree_->setCurrentItem(*it);
      tree_->scrollToItem(*it);
      wanted_.clear();
      return;
    }
}

}  // namespace fmd::tray
