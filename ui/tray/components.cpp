#include "ui/tray/components.h"

#include <QHeaderView>
#include <QSignalBlocker>
#include <set>

#include "ui/tray/canvas.h"
#include "ui/tray/part_words.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

enum TreeColumn { kTreeName, kTreeState, kTreeColumns };
constexpr int kTreeFmri = Qt::UserRole;

QString kind_words(scene::PartKind kind) {
  switch (kind) {
    case scene::PartKind::bay:
      return Components::tr("Bays");
    case scene::PartKind::psu:
      return Components::tr("Power supplies");
    case scene::PartKind::fan:
      return Components::tr("Fans");
    case scene::PartKind::cpu:
      return Components::tr("Processors");
    case scene::PartKind::dimm:
      return Components::tr("Memory modules");
    case scene::PartKind::card:
      return Components::tr("Cards");
    case scene::PartKind::sensor:
      return Components::tr("Sensors");
  }
  return {};
}

std::string box_of(const scene::Scene& scene) {
  return scene.fmri + '\n' + scene.label;
}

}  // namespace

Components::Components(QWidget* parent) : QTreeWidget(parent) {
  setColumnCount(kTreeColumns);
  setHeaderLabels({tr("Component"), tr("State")});
  setAccessibleName(tr("Components"));
  setUniformRowHeights(true);
  setTabKeyNavigation(false);
  header()->setSectionResizeMode(kTreeName, QHeaderView::Stretch);
  header()->setSectionResizeMode(kTreeState, QHeaderView::ResizeToContents);
  header()->setStretchLastSection(false);
  connect(this, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
    const QString fmri = item ? item->data(kTreeName, kTreeFmri).toString() : QString();
    if (!fmri.isEmpty()) emit picked(fmri);
  });
}

QTreeWidgetItem* Components::row(QTreeWidgetItem* above, const Key& key, const QString& name) {
  QTreeWidgetItem*& item = rows_[key];
  if (!item) {
    item = above ? new QTreeWidgetItem(above) : new QTreeWidgetItem(this);
    item->setExpanded(key.size() < 3);
  }
  if (item->text(kTreeName) != name) item->setText(kTreeName, name);
  return item;
}

void Components::fill(QTreeWidgetItem& item, const scene::Part& part) const {
  const QString state = meaning_words(part.state);
  if (item.text(kTreeState) != state) {
    item.setText(kTreeState, state);
    const bool grave = part.state == scene::PartState::faulted;
    const bool marked = part.state >= scene::PartState::degraded;
    const auto ink = [&](scene::Ink bad, scene::Ink minor) {
      return marked ? QBrush(qt_colour(grave ? bad : minor, scene::Theme::light)) : QBrush();
    };
    item.setBackground(kTreeState, ink(scene::Ink::faulted, scene::Ink::degraded));
    item.setForeground(kTreeState, ink(scene::Ink::faulted_text, scene::Ink::degraded_text));
  }
  const QString says = explain_ ? explain_(part) : QString::fromStdString(part.says);
  if (item.data(kTreeName, Qt::AccessibleDescriptionRole).toString() == says) return;
  item.setData(kTreeName, Qt::AccessibleDescriptionRole, says);
  item.setToolTip(kTreeName, "<qt>" + says.toHtmlEscaped() + "</qt>");
}

// Fast path: most changes concern one part among many.
bool Components::change(const std::vector<scene::Scene>& scenes) {
  std::vector<const scene::Part*> parts;
  for (const scene::Scene& scene : scenes) {
    const std::string box = box_of(scene);
    for (const scene::Face& face : scene.faces)
      for (const scene::Part& part : face.parts) {
        if (parts.size() == shown_.size()) return false;
        const Shown& shown = shown_[parts.size()];
        if (shown.box != box || shown.part.fmri != part.fmri || shown.part.kind != part.kind ||
            shown.part.label != part.label)
          return false;
        parts.push_back(&part);
      }
  }
  if (parts.size() != shown_.size()) return false;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (*parts[i] == shown_[i].part) continue;
    fill(*shown_[i].item, *parts[i]);
    shown_[i].part = *parts[i];
  }
  return true;
}

void Components::show_scenes(const std::vector<scene::Scene>& scenes) {
  const QSignalBlocker quiet(this);
  if (change(scenes)) return;
  shown_.clear();
  const QString kept =
      currentItem() ? currentItem()->data(kTreeName, kTreeFmri).toString() : QString();
  std::set<Key> there;
  for (const scene::Scene& scene : scenes)
    for (const scene::Face& face : scene.faces)
      for (const scene::Part& part : face.parts) {
        const std::string kind = std::to_string(static_cast<int>(part.kind));
        there.insert({{scene.fmri}, {scene.fmri, kind}, {scene.fmri, kind, part.fmri}});
      }
  // From the leaves upwards, because deleting an item deletes those below it.
  for (auto it = rows_.rbegin(); it != rows_.rend();) {
    if (there.contains(it->first)) {
      ++it;
      continue;
    }
    delete it->second;
    it = std::make_reverse_iterator(rows_.erase(std::next(it).base()));
  }
  for (const scene::Scene& scene : scenes)
    for (const scene::Face& face : scene.faces)
      for (const scene::Part& part : face.parts) {
        const std::string kind = std::to_string(static_cast<int>(part.kind));
        QTreeWidgetItem* box = row(nullptr, {scene.fmri}, QString::fromStdString(scene.label));
        QTreeWidgetItem* group = row(box, {scene.fmri, kind}, kind_words(part.kind));
        QTreeWidgetItem* item =
            row(group, {scene.fmri, kind, part.fmri},
                QString::fromStdString(part.label.empty() ? part.fmri : part.label));
        item->setData(kTreeName, kTreeFmri, QString::fromStdString(part.fmri));
        fill(*item, part);
        shown_.push_back({item, box_of(scene), part});
      }
  select(kept);
}

void Components::select(const QString& part) {
  const QSignalBlocker quiet(this);
  const std::string wanted = part.toStdString();
  for (const auto& [key, item] : rows_)
    if (key.size() == 3 && key[2] == wanted) {
      if (item == currentItem()) return;
      setCurrentItem(item);
      return scrollToItem(item);
    }
  setCurrentItem(nullptr);
}

}  // namespace fmd::tray
