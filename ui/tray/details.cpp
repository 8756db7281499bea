#include "ui/tray/details.h"

#include <QFormLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <cmath>

#include "fmd/base/text.h"
#include "ui/client/surroundings.h"
#include "ui/tray/canvas.h"
#include "ui/tray/part_actions.h"
#include "ui/tray/part_history.h"
#include "ui/tray/part_words.h"
#include "ui/tray/sparkline.h"
#include "ui/tray/stale.h"
#include "ui/tray/words.h"

namespace fmd::tray {

Details::Details(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
  auto* all = new QVBoxLayout(this);
  title_ = plain_label();
  QFont large = title_->font();
  large.setPointSizeF(large.pointSizeF() * 1.4);
  large.setBold(true);
  title_->setFont(large);
  state_ = plain_label();
  nothing_ = plain_label(tr("Select a part in the picture to see its details."));
  rest_ = new QWidget;
  auto* rest = new QVBoxLayout(rest_);
  rest->setContentsMargins(0, 0, 0, 0);
  facts_ = new QFormLayout;
  facts_->setRowWrapPolicy(QFormLayout::WrapLongRows);
  actions_ = new PartActions(session);
  connect(actions_, &PartActions::case_wanted, this, &Details::case_wanted);
  history_ = new PartHistory(session);
  connect(history_, &PartHistory::case_wanted, this, &Details::case_wanted);
  connect(history_, &PartHistory::readings_wanted, this, &Details::readings_wanted);
  rest->addWidget(actions_);
  rest->addLayout(facts_);
  rest->addWidget(history_);
  for (QWidget* one : std::initializer_list<QWidget*>{title_, state_, nothing_, rest_})
    all->addWidget(one);
  all->addStretch();
  show_part(nullptr);
}

void Details::row(const QString& name, const std::string& value) {
  row(name, QString::fromStdString(display(value)));
}

void Details::row(const QString& name, const QString& value) {
  if (!value.isEmpty()) told_.emplace_back(name, breakable(value));
}

// Unchanged texts are not set again, so that a selection in them survives.
void Details::show_facts() {
  bool same = facts_->rowCount() == static_cast<int>(told_.size());
  const auto label = [this](int row, QFormLayout::ItemRole role) {
    return qobject_cast<QLabel*>(facts_->itemAt(row, role)->widget());
  };
  for (int row = 0; same && row < facts_->rowCount(); ++row)
    same = label(row, QFormLayout::LabelRole)->text() == told_[static_cast<size_t>(row)].first;
  if (!same) {
    while (facts_->rowCount() > 0) facts_->removeRow(0);
    for (const auto& [name, value] : told_) facts_->addRow(name, plain_label(value));
    return;
  }
  for (int row = 0; row < facts_->rowCount(); ++row)
    if (QLabel* shown = label(row, QFormLayout::FieldRole);
        shown->text() != told_[static_cast<size_t>(row)].second)
      shown->setText(told_[static_cast<size_t>(row)].second);
}

void Details::show_part(const scene::Part* part) {
  told_.clear();
  nothing_->setVisible(!part);
  title_->setVisible(part);
  state_->setVisible(part);
  rest_->setVisible(part && session_.snapshot());
  history_->show_part(part);
  if (!part || !session_.snapshot()) return show_facts();
  const SnapshotPtr snapshot = session_.snapshot();
  title_->setText(QString::fromStdString(part->label.empty() ? part->fmri : part->label));
  const QString stale = stale_words(session_, snapshot->taken);
  state_->setText(state_words(*part) + (stale.isEmpty() ? QString() : "\n" + stale));
  show_state(part->state);
  facts(*part, snapshot->inventory);
  show_facts();
  actions_->show_part(*part, *snapshot);
}

// In the picture's colours, if the state needs attention.
void Details::show_state(scene::PartState state) {
  const bool marked = state >= scene::PartState::degraded;
  const bool grave = state == scene::PartState::faulted;
  QPalette look = QPalette();
  if (marked) {
    look.setColor(QPalette::Window, qt_colour(grave ? scene::Ink::faulted : scene::Ink::degraded,
                                              scene::Theme::light));
    look.setColor(QPalette::WindowText,
                  qt_colour(grave ? scene::Ink::faulted_text : scene::Ink::degraded_text,
                            scene::Theme::light));
  }
  state_->setPalette(look);
  state_->setAutoFillBackground(marked);
  state_->setMargin(marked ? 4 : 0);
}

void Details::facts(const scene::Part& part, const Inventory& inventory) {
  const Resource* own = inventory.find(part.fmri);
  const Resource* held = inventory.find(part.holds);
  const Resource* disk = held && held->type == "disk" ? held : nullptr;
  if (own) place(*own, inventory);
  if (own && !disk) {
    row(tr("Status"), own->get("status"));
    row(tr("Why"), own->get("reason"));
  }
  if (const Resource* what = held ? held : own) {
    row(tr("Manufacturer"), what->get(held && !disk ? "vendor" : "manufacturer"));
    row(tr("Model"), what->get("model"));
    row(tr("Serial"), what->get("serial"));
    row(tr("Firmware"), what->get("firmware"));
    row(tr("Part number"), what->get("part_number"));
    if (held && !disk) card(*held);
    if (disk) row(tr("Size"), part.detail);
    if (disk) row(tr("Device"), disk->get("path"));
    figures(*what);
  }
  if (disk) {
    row(tr("SMART"), smart_words(*disk));
    if (const Resource* vdev = leaf_on(inventory, disk->fmri)) {
      row(tr("Pool"), vdev->get("pool"));
      row(tr("State in the pool"), vdev->get("state"));
    }
  }
  if (own && own->type == "bay") {
    row(tr("Fault light"), light_words(own->get("led.fault")));
    row(tr("Locate light"), light_words(own->get("led.locate")));
  }
}

void Details::card(const Resource& device) {
  row(tr("Kind"), device.get("class_name"));
  row(tr("Driver"), device.get("driver"));
  row(tr("Address"), device.get("address"));
  const auto link = [&](const char* what) {
    const std::string now = device.get(std::string("link_") + what);
    const std::string most = device.get(std::string("link_") + what + "_max");
    const QString shown = clean_text(now);
    return most.empty() || most == now ? shown : tr("%1 of %2").arg(shown, clean_text(most));
  };
  row(tr("Link speed"), link("speed"));
  row(tr("Link width"), link("width"));
}

// The chassis and the side on which the part is.
void Details::place(const Resource& part, const Inventory& inventory) {
  const Resource* box = inventory.find(part.get("enclosure"));
  if (!box)
    for (const Resource* above : inventory.parents(part.fmri, Relation::contains))
      if (above->type == "enclosure") box = above;
  if (box) row(tr("Chassis"), box->get("label").empty() ? box->fmri : box->get("label"));
  scene::Face face;
  face.label = box ? box->get("view." + part.get("view")) : "";
  if (face.label.empty())
    for (const auto& [view, label] : {std::pair{"front", "Front"},
                                      {"rear", "Rear"},
                                      {"top", "From above"},
                                      {"inside", "Inside"}})
      if (part.is("view", view)) face.label = label;
  const QString side = clean_text(face_words(face).toStdString());
  const QString label = clean_text(part.get("label"));
  row(tr("Place"), label.isEmpty() || side.isEmpty() ? label + side : label + ", " + side);
}

void Details::figures(const Resource& part) {
  const double celsius = ui::number_of(part, "temperature_celsius", std::nan(""));
  if (!std::isnan(celsius)) row(tr("Temperature"), figure_text(celsius, "celsius"));
  const double value = ui::number_of(part, "value", std::nan(""));
  if (!std::isnan(value)) row(tr("Reading"), figure_text(value, part.get("unit")));
}

}  // namespace fmd::tray
