#include "ui/tray/chassis_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>
#include <set>

#include "fmd/base/text.h"
#include "fmd/scene/places.h"
#include "ui/client/surroundings.h"
#include "ui/tray/chassis_view.h"
#include "ui/tray/components.h"
#include "ui/tray/details.h"
#include "ui/tray/heat_figures.h"
#include "ui/tray/legend.h"
#include "ui/tray/map_helper.h"
#include "ui/tray/part_words.h"
#include "ui/tray/sparkline.h"
#include "ui/tray/stale.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

// fmri: "": all chassis.
std::vector<scene::Scene> scenes_of(const Snapshot& snapshot, const QString& fmri) {
  if (fmri.isEmpty()) return snapshot.scenes;
  const std::string wanted = fmri.toStdString();
  std::vector<scene::Scene> scenes;
  for (const scene::Scene& scene : snapshot.scenes)
    if (scene.fmri == wanted) scenes.push_back(scene);
  return scenes;
}

// The first chassis with bays whose positions are unknown.
QString undescribed(const std::vector<scene::Scene>& scenes) {
  for (const scene::Scene& scene : scenes)
    for (const scene::Face& face : scene.faces)
      for (const scene::Part& part : face.parts)
        if (!face.to_scale && part.kind == scene::PartKind::bay)
          return QString::fromStdString(scene.fmri);
  return {};
}

}  // namespace

ChassisPage::ChassisPage(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
  view_ = new ChassisView;
  details_ = new Details(session);
  chassis_ = new QComboBox;
  name_choice(chassis_, tr("Chassis"));
  colours_ = new QComboBox;
  name_choice(colours_, tr("Colour by"));
  auto* side = new QScrollArea;
  side->setWidgetResizable(true);
  side->setFrameShape(QFrame::NoFrame);
  side->setWidget(details_);
  side->setMinimumWidth(280);
  auto* split = new QSplitter;
  auto* picture = new QWidget;
  auto* below = new QVBoxLayout(picture);
  below->setContentsMargins(0, 0, 0, 0);
  below->setSpacing(0);
  below->addWidget(view_, 1);
  legend_ = new Legend;
  below->addWidget(legend_);
  split->addWidget(picture);
  auto* aside = new QSplitter(Qt::Vertical);
  components_ = new Components;
  aside->addWidget(components_);
  aside->addWidget(side);
  aside->setStretchFactor(1, 1);
  aside->setSizes({180, 460});
  split->addWidget(aside);
  split->setStretchFactor(0, 1);
  split->setSizes({840, 340});
  auto* row = new QHBoxLayout;
  domains_ = new QCheckBox(tr("&Fault domains"));
  domains_->setToolTip(
      tr("Outlines what fails together: the bays of a backplane, expander or HBA"));
  describe_ = new QPushButton(tr("&Describe this chassis…"));
  describe_->setToolTip(tr(
      "The positions of its bays are not described; they are shown in the order of their labels"));
  connect(describe_, &QPushButton::clicked, this, [this] {
    // One helper at a time: two would switch the same LED.
    if (!helper_) helper_ = new MapHelper(session_, undescribed_, this);
    helper_->show();
    helper_->raise();
    helper_->activateWindow();
  });
  row->addWidget(chassis_, 1);
  row->addWidget(describe_);
  auto* label = new QLabel(tr("Colour b&y:"));
  label->setBuddy(colours_);
  row->addStretch();
  row->addWidget(domains_);
  row->addWidget(label);
  row->addWidget(colours_);
  auto* column = new QVBoxLayout(this);
  column->addLayout(row);
  pools_ = plain_label();
  column->addWidget(pools_);
  orders_ = plain_label();
  column->addWidget(orders_);
  column->addWidget(split, 1);
  connect(chassis_, &QComboBox::currentIndexChanged, this, &ChassisPage::refresh_picture);
  connect(colours_, &QComboBox::currentIndexChanged, this, &ChassisPage::refresh_heat);
  connect(domains_, &QCheckBox::toggled, view_, &ChassisView::show_domains);
  connect(view_, &ChassisView::picked, this, [this](const QString& fmri) {
    looked_ = true;
    view_->mark({});
    const scene::Part* part = view_->part(fmri);
    components_->select(part ? fmri : QString());
    details_->show_part(part);
    if (part) emit picked(QString::fromStdString(part->holds.empty() ? part->fmri : part->holds));
  });
  connect(components_, &Components::picked, this, [this](const QString& fmri) {
    view_->select(fmri);
    emit view_->picked(fmri);
  });
  const auto explain = [this](const scene::Part& part) {
    const SnapshotPtr snapshot = session_.snapshot();
    return snapshot ? part_says(part, snapshot->inventory) : QString();
  };
  view_->explain(explain);
  components_->explain(explain);
  connect(details_, &Details::case_wanted, this, &ChassisPage::case_wanted);
  connect(details_, &Details::readings_wanted, this, &ChassisPage::readings_wanted);
  refresh();
}

void ChassisPage::fill_chassis(const Snapshot& snapshot) {
  std::vector<Choice> choices;
  if (snapshot.scenes.size() > 1) choices.push_back({tr("All chassis"), {}});
  for (const scene::Scene& scene : snapshot.scenes) {
    const std::string label = snapshot.inventory.find(scene.fmri)->get("label");
    choices.push_back(
        {clean_text(label.empty() ? scene.fmri : label), QString::fromStdString(scene.fmri)});
  }
  fill_choice(chassis_, choices);
  chassis_->setVisible(chassis_->count() > 1);
}

void ChassisPage::fill_colours(const Snapshot& snapshot) {
  std::vector<Choice> choices{{tr("State"), {}}};
  for (const HeatFigure& figure : snapshot.figures) {
    const bool sensor = figure.name == "value";
    choices.push_back({sensor ? tr("Sensors (%1)").arg(figure_text(0, figure.unit).mid(2))
                              : reading_words(figure.name),
                       QString::fromStdString(figure.name + " " + figure.unit)});
  }
  fill_choice(colours_, choices);
}

void ChassisPage::refresh() {
  if (const SnapshotPtr snapshot = session_.snapshot()) {
    fill_chassis(*snapshot);
    fill_colours(*snapshot);
  }
  refresh_picture();
}

void ChassisPage::refresh_picture() {
  const SnapshotPtr snapshot = session_.snapshot();
  QString kept = view_->selected();
  std::vector<scene::Scene> scenes;
  if (snapshot) scenes = scenes_of(*snapshot, chassis_->currentData().toString());
  // At first, the worst part is selected.
  if (kept.isEmpty() && !looked_) {
    const scene::Part* worst = nullptr;
    for (const scene::Scene& scene : scenes)
      if (const scene::Part* part = scene.worst_part();
          part && (!worst || part->state > worst->state))
        worst = part;
    looked_ = worst != nullptr;
    if (worst) kept = QString::fromStdString(worst->fmri);
  }
  QStringList pools;
  for (const scene::Scene& scene : scenes)
    for (const scene::Scene::Note& note : scene.notes)
      if (const QString text = clean_text(note.text); !pools.contains(text)) pools << text;
  pools_->setText(tr("Framed bays: %1").arg(pools.join("; ")));
  pools_->setVisible(!pools.isEmpty());
  show_lines(orders_, snapshot ? order_words(*snapshot) : QStringList());
  undescribed_ = undescribed(scenes);
  describe_->setVisible(!undescribed_.isEmpty());
  describe_->setEnabled(session_.connected());
  components_->show_scenes(scenes);
  view_->show_stale(stale_words(session_, snapshot ? snapshot->taken : QDateTime()));
  view_->show_scenes(std::move(scenes));
  legend_->show_signs(view_->signs());
  refresh_heat();
  domains_->setVisible(view_->has_domains());
  if (kept != view_->selected()) view_->select(kept);
  components_->select(view_->selected());
  details_->show_part(view_->part(kept));
}

void ChassisPage::refresh_heat() {
  const SnapshotPtr snapshot = session_.snapshot();
  const std::string property = colours_->currentData().toString().toStdString();
  ChassisView::Heat heat;
  if (snapshot && !property.empty()) {
    for (const HeatFigure& figure : snapshot->figures) {
      if (property != figure.name + " " + figure.unit) continue;
      heat.values = figure.values;
      heat.unit = figure.unit;
    }
  }
  legend_->setVisible(heat.values.empty());
  view_->show_heat(std::move(heat));
}

// Keeps the shown chassis if it has the part, else switches to the chassis that has it.
bool ChassisPage::turn_to(const QString& fmri) {
  const int shown = chassis_->currentIndex();
  for (int i = -1; i < chassis_->count(); ++i) {
    if (i >= 0) chassis_->setCurrentIndex(i);
    if (view_->part(fmri)) return true;
  }
  chassis_->setCurrentIndex(shown);
  return false;
}

bool ChassisPage::show_part(const QString& fmri) {
  const SnapshotPtr snapshot = session_.snapshot();
  if (!snapshot) return false;
  // A vdev is shown by its disk, a part on a card by the card's slot.
  const std::string wanted = fmri.toStdString();
  std::vector<std::string> places{wanted};
  if (const Resource* leaf = snapshot->inventory.find(wanted); leaf && !is_storage(*leaf))
    if (const auto below = ui::members_of(snapshot->inventory, *leaf);
        below.size() == 1 && below[0]->type == "disk")
      places.push_back(below[0]->fmri);
  for (const Resource* one : scene::around(snapshot->inventory, wanted))
    places.push_back(one->fmri);
  for (const std::string& place : places) {
    const QString at = QString::fromStdString(place);
    if (!turn_to(at)) continue;
    looked_ = true;
    view_->mark({});
    view_->select(at);
    components_->select(view_->selected());
    details_->show_part(view_->part(at));
    view_->setFocus();
    return true;
  }
  return false;
}

bool ChassisPage::show_behind(const QString& fmri) {
  const SnapshotPtr snapshot = session_.snapshot();
  if (!snapshot) return false;
  QStringList bays;
  for (const std::string& bay : scene::bays_behind(snapshot->inventory, fmri.toStdString()))
    bays << QString::fromStdString(bay);
  if (bays.isEmpty() || !turn_to(bays.front())) return false;
  looked_ = true;
  view_->select({});
  components_->select({});
  details_->show_part(nullptr);
  mark(bays);
  view_->reveal(bays.front());
  return true;
}

void ChassisPage::mark(const QStringList& parts) {
  std::set<std::string> fmris;
  for (const QString& one : parts) fmris.insert(one.toStdString());
  view_->mark(std::move(fmris));
}

}  // namespace fmd::tray
