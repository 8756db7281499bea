#include "ui/tray/map_helper.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "fmd/base/text.h"
#include "ui/client/paths.h"
#include "ui/tray/chassis_view.h"
#include "ui/tray/question.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

const Resource* disk_in(const Inventory& inventory, const std::string& bay) {
  const Resource* one = inventory.find(bay);
  if (!one) return nullptr;
  for (const Edge& edge : one->edges) {
    const Resource* r = edge.relation == Relation::contains ? inventory.find(edge.to) : nullptr;
    if (r && r->present && r->type == "disk") return r;
  }
  return nullptr;
}

bool has_light(const Resource& bay) {
  const std::string locate = bay.get("led.locate");
  return !locate.empty() && locate != "cannot-drive" && !bay.is("led.method", "none");
}

// A few bays are usually in rows of four, many side by side; a top loader has rows of twelve.
int usual_columns(int bays) {
  return bays <= 16 ? std::min(bays, 4) : bays <= 24 ? bays : 12;
}

QSpinBox* number(int least, int most, int value) {
  auto* box = new QSpinBox;
  box->setRange(least, most);
  box->setValue(value);
  return box;
}

}  // namespace

MapHelper::MapHelper(Session& session, const QString& chassis, QWidget* parent)
    : QDialog(parent),
      session_(session),
      chassis_(chassis),
      of_(session.snapshot()),
      light_(session.target()) {
  setWindowTitle(tr("Describe a chassis"));
  setAttribute(Qt::WA_DeleteOnClose);
  resize(1000, 620);
  build();
  begin(false);
  connect(&session, &Session::changed, this, &MapHelper::look);
}

void MapHelper::build() {
  view_ = new ChassisView;
  view_->setAccessibleName(tr("Places of the bays"));
  auto* row = new QHBoxLayout(this);
  row->addWidget(view_, 1);
  row->addWidget(build_side());
  connect(view_, &ChassisView::clicked, this, [this](const QString& cell) { place(cell, false); });
  connect(view_, &ChassisView::activated, this, [this](const QString& cell) { place(cell, true); });
  connect(skip_, &QPushButton::clicked, this, [this] {
    answers_.by_bay.erase(at_);
    asked_.push_back(at_);
    next();
  });
  connect(back_, &QPushButton::clicked, this, &MapHelper::take_back);
  connect(save_, &QPushButton::clicked, this, &MapHelper::save);
  connect(own_, &QCheckBox::toggled, this, &MapHelper::choose_own);
  connect(side_, &QComboBox::currentIndexChanged, this, [this] {
    const bool upright = mapping::stands_upright(side_->currentData().toString().toStdString());
    height_->setValue(upright ? mapping::kUsualUnits : mapping::kUsualDepthMm);
    height_->setSuffix(upright ? tr(" rack units") : " mm");
    shape();
  });
  for (QSpinBox* one : {rows_, columns_, height_})
    connect(one, &QSpinBox::valueChanged, this, &MapHelper::shape);
}

QWidget* MapHelper::build_side() {
  auto* side = new QWidget;
  side->setFixedWidth(320);
  auto* column = new QVBoxLayout(side);
  prompt_ = plain_label();
  QFont large = prompt_->font();
  large.setPointSizeF(large.pointSizeF() * 1.3);
  large.setBold(true);
  prompt_->setFont(large);
  hint_ = plain_label();
  problem_ = plain_label();
  count_ = plain_label();
  name_ = new QLineEdit;
  label_ = new QLineEdit;
  label_->setPlaceholderText(tr("as printed beside the bay"));
  side_ = new QComboBox;
  for (const auto& [word, name] : {std::pair{tr("Front"), "front"},
                                   {tr("Rear"), "rear"},
                                   {tr("From above"), "top"},
                                   {tr("Inside"), "inside"}})
    side_->addItem(word, QString(name));
  rows_ = number(1, 100, 1);
  columns_ = number(1, 200, 1);
  height_ = number(1, 5000, mapping::kUsualUnits);
  height_->setSuffix(tr(" rack units"));
  own_ = new QCheckBox(tr("It is this machine's own back&plane"));
  skip_ = new QPushButton(tr("S&kip this bay"));
  back_ = new QPushButton(tr("One &back"));
  save_ = new QPushButton(tr("&Save the description…"));
  auto* form = new QFormLayout;
  const auto field = [form](const QString& name, QWidget* widget) {
    widget->setAccessibleName(QString(name).remove('&').remove(':'));
    form->addRow(name, widget);
  };
  field(tr("Its &label:"), label_);
  auto* box = new QFormLayout;
  const auto of_box = [box](const QString& name, QWidget* widget) {
    widget->setAccessibleName(QString(name).remove('&').remove(':'));
    box->addRow(name, widget);
  };
  side_->setAccessibleDescription(tr("Seen from"));
  of_box(tr("&Name of the chassis:"), name_);
  of_box(tr("Seen &from:"), side_);
  of_box(tr("&Rows of bays:"), rows_);
  of_box(tr("Bays in a ro&w:"), columns_);
  of_box(tr("&Height or depth:"), height_);
  column->addWidget(prompt_);
  column->addWidget(hint_);
  column->addLayout(form);
  for (QPushButton* one : {skip_, back_}) {
    one->setAutoDefault(false);
    column->addWidget(one);
  }
  column->addWidget(problem_);
  column->addStretch();
  column->addLayout(box);
  column->addWidget(own_);
  column->addWidget(count_);
  save_->setAutoDefault(false);
  column->addWidget(save_);
  return side;
}

// The choice changes the bays, so positions given so far become invalid.
void MapHelper::choose_own(bool own) {
  if (!answers_.by_bay.empty() &&
      !ask(this, {tr("Begin again?"), tr("The %n bay(s) placed so far are dropped.", nullptr,
                                         static_cast<int>(answers_.by_bay.size()))})
           .yes) {
    const QSignalBlocker quiet(own_);
    own_->setChecked(!own);
    return;
  }
  begin(own);
}

void MapHelper::begin(bool of_host) {
  answers_ = {};
  asked_.clear();
  problem_->clear();
  auto work = !of_      ? Result<mapping::Work>(fail("fmd has not told anything yet"))
              : of_host ? mapping::host_with(of_->inventory, {chassis_.toStdString()})
                        : mapping::work_of(of_->inventory, chassis_.toStdString());
  work_ = work ? std::move(*work) : mapping::Work();
  if (!work) problem_->setText(clean_text(work.error().text()));
  for (const mapping::ToMap& one : work_.bays) {
    const Resource* disk = disk_in(of_->inventory, one.bay->fmri);
    held_[one.bay->fmri] = disk ? disk->fmri : "";
  }
  if (!of_host) {
    bool has_system = false;
    if (of_)
      for (const auto& [fmri, r] : of_->inventory.all()) has_system |= r.type == "system";
    own_->setVisible(has_system && !work_.draft.host);
  }
  name_->setText(clean_text(work_.draft.label));
  const int bays = std::max(1, static_cast<int>(work_.bays.size()));
  const QSignalBlocker quiet_rows(rows_), quiet_columns(columns_);
  columns_->setValue(usual_columns(bays));
  rows_->setValue((bays + columns_->value() - 1) / columns_->value());
  shape();
  go_to(0, false);
}

QString MapHelper::holds(const Resource& bay) const {
  const Resource* disk = disk_in(of_->inventory, bay.fmri);
  if (!disk) return tr("It is known as %1 and is empty.").arg(clean_text(bay.get("label")));
  return tr("It is known as %1 and holds %2, serial %3.")
      .arg(clean_text(bay.get("label")), clean_text(disk->get("model")),
           clean_text(disk->get("serial")));
}

void MapHelper::go_to(size_t at, bool pulled) {
  at_ = at;
  const size_t all = work_.bays.size();
  const bool some = at_ < all;
  label_->setEnabled(some);
  skip_->setEnabled(some);
  back_->setEnabled(!asked_.empty());
  save_->setEnabled(!answers_.by_bay.empty());
  count_->setText(tr("%1 of %2 bays placed.").arg(answers_.by_bay.size()).arg(all));
  draw();
  if (!some) {
    light({});
    hint_->clear();
    label_->clear();
    const int skipped = static_cast<int>(all - std::min(all, answers_.by_bay.size()));
    prompt_->setText(all == 0       ? tr("Nothing can be mapped here.")
                     : skipped == 0 ? tr("All bays are done. Save the description.")
                                    : tr("%n bay(s) were skipped. Save the description, or go back "
                                         "to them.",
                                         nullptr, skipped));
    return;
  }
  const Resource& bay = *work_.bays[at_].bay;
  label_->setText(clean_text(bay.get("label")));
  label_->selectAll();
  const QString which = tr("Bay %1 of %2").arg(at_ + 1).arg(all);
  hint_->setText(holds(bay));
  if (pulled) {
    light({});
    prompt_->setText(tr("Its disk was just pulled: %1. Click where it was.").arg(which));
  } else if (bay.is("led.locate", "on")) {  // lit by someone else; leave it alone
    light({});
    lit({});
  } else if (has_light(bay)) {
    prompt_->setText(tr("%1: its light is being switched on…").arg(which));
    light(bay.fmri);
  } else {
    light({});
    lit(tr("it has no light that can be switched"));
  }
}

void MapHelper::light(const std::string& bay) {
  light_.add([self = QPointer<MapHelper>(this), turn = ++turn_, bay](Result<ui::Client*> client) {
    Result<void> done =
        client ? (*client)->release_locate() : Result<void>(tl::unexpected(client.error()));
    if (done && !bay.empty()) done = (*client)->hold_locate(bay);
    const QString why = done ? QString() : clean_text(done.error().text());
    Session::run_here([self, turn, why, asked = !bay.empty()] {
      if (self && self->turn_ == turn && asked) self->lit(why);
    });
  });
}

void MapHelper::lit(const QString& why) {
  emit asked();
  const QString which = tr("Bay %1 of %2").arg(at_ + 1).arg(work_.bays.size());
  const Resource& bay = *work_.bays[at_].bay;
  if (why.isEmpty()) return prompt_->setText(tr("%1 blinks. Click where it is.").arg(which));
  prompt_->setText(tr("%1 does not blink: %2.").arg(which, why));
  hint_->setText(holds(bay) + "\n" +
                 tr("Find that serial number on the disks and click its position. Or pull a disk "
                    "that no pool uses: you are then asked for its bay."));
}

void MapHelper::look() {
  const SnapshotPtr now = session_.snapshot();
  if (!now) return;
  for (size_t i = 0; i < work_.bays.size(); ++i) {
    const std::string& bay = work_.bays[i].bay->fmri;
    const Resource* disk = disk_in(now->inventory, bay);
    const std::string before = std::exchange(held_[bay], disk ? disk->fmri : "");
    if (before.empty() || disk || answers_.by_bay.contains(i)) continue;
    std::erase(asked_, i);  // asked again if it was skipped
    return go_to(i, true);
  }
}

void MapHelper::shape() {
  const std::string side = side_->currentData().toString().toStdString();
  bool used = false;
  for (const auto& [index, answer] : answers_.by_bay) used |= answer.view == side;
  // Once a side has bays, its rows and columns are fixed.
  if (!used)
    work_.draft.sides[side] =
        mapping::side_of(side, rows_->value(), columns_->value(), height_->value());
  draw();
}

void MapHelper::draw() {
  const std::string name = side_->currentData().toString().toStdString();
  const mapping::ChassisDraft::Side& side = work_.draft.sides[name];
  scene::Scene scene;
  scene::Face face;
  face.name = name;
  face.label = side_->currentText().toStdString();
  face.width = side.width;
  face.height = side.height;
  bool used = false;
  for (int row = 1; row <= side.rows; ++row)
    for (int column = 1; column <= side.columns; ++column) {
      const double w = side.width / side.columns, h = side.height / side.rows;
      scene::Part part;
      part.fmri = std::to_string(row) + " " + std::to_string(column);
      part.box = scene::Rect{w * (column - 1), h * (row - 1), w, h}.inset(1);
      part.state = scene::PartState::empty;
      part.says = tr("Row %1, column %2: free").arg(row).arg(column).toStdString();
      for (const auto& [index, answer] : answers_.by_bay) {
        if (answer.view != name || answer.at != std::pair{row, column}) continue;
        used = true;
        part.state = scene::PartState::ok;
        part.label = part.says = display(answer.label);
      }
      face.parts.push_back(std::move(part));
    }
  for (QSpinBox* one : {rows_, columns_, height_}) one->setEnabled(!used);
  scene.faces.push_back(std::move(face));
  view_->show_scenes({std::move(scene)});
}

void MapHelper::place(const QString& cell, bool again) {
  if (at_ >= work_.bays.size()) return;
  const QStringList at = cell.split(' ');
  const std::pair where{at.value(0).toInt(), at.value(1).toInt()};
  const std::string side = side_->currentData().toString().toStdString();
  const std::string label = label_->text().trimmed().toStdString();
  const auto [bay, member] = work_.bays[at_];
  if (answers_.taken(side, where)) {
    // "again" is the second click of a double click.
    if (!again) problem_->setText(tr("Another bay has that position. \"One back\" returns to it."));
    return;
  }
  if (label.find_first_of("{}") != label.npos)
    return problem_->setText(tr("A label cannot hold braces."));
  if (const auto other = answers_.with_label(label); other && *other != at_)
    return problem_->setText(tr("Bay %1 already has that label.").arg(*other + 1));
  problem_->clear();
  asked_.push_back(at_);
  answers_.by_bay[at_] = {bay, member, label.empty() ? bay->get("label") : label, side, where};
  next();
}

void MapHelper::next() {
  // Wraps around: bays may have been skipped because a disk was pulled.
  const size_t all = work_.bays.size();
  for (size_t i = 1; i <= all; ++i)
    if (const size_t at = (at_ + i) % all;
        std::find(asked_.begin(), asked_.end(), at) == asked_.end())
      return go_to(at, false);
  go_to(all, false);
}

void MapHelper::take_back() {
  if (asked_.empty()) return;
  const size_t before = asked_.back();
  asked_.pop_back();
  answers_.by_bay.erase(before);
  go_to(before, false);
}

Result<std::string> MapHelper::description() const {
  mapping::ChassisDraft draft = work_.draft;
  draft.label = name_->text().trimmed().toStdString();
  if (draft.label.empty()) draft.label = "Own chassis";
  draft.made_on = mapping::today();
  for (const auto& [index, answer] : answers_.by_bay) draft.answers.push_back(answer);
  // Leave out sides without bays.
  std::erase_if(draft.sides, [&](const auto& side) {
    return std::none_of(draft.answers.begin(), draft.answers.end(),
                        [&](const auto& answer) { return answer.view == side.first; });
  });
  return draft.toml(of_->inventory);
}

Result<void> MapHelper::write(const QString& path) const {
  const auto text = description();
  if (!text) return tl::unexpected(text.error());
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(QByteArray::fromStdString(*text)) < 0 ||
      !file.commit())
    return fail(path.toStdString() + ": " + file.errorString().toStdString());
  return {};
}

void MapHelper::save() {
  // The dialog asks before it replaces a file. fmd reads only files with this ending.
  QFileDialog dialog(this, tr("Save the description"), {}, tr("Chassis (*.toml)"));
  dialog.setAcceptMode(QFileDialog::AcceptSave);
  dialog.setDefaultSuffix("toml");
  dialog.selectFile("own-chassis.toml");
  if (dialog.exec() != QDialog::Accepted) return;
  const auto done = write(dialog.selectedFiles().value(0));
  if (!done) return problem_->setText(clean_text(done.error().text()));
  problem_->setText(
      tr("Written. On %1, copy it to %2/chassis.d as root; fmd reads it within seconds.")
          .arg(session_.name(), QString(FMD_SYSCONF_DIR)));
}

}  // namespace fmd::tray
