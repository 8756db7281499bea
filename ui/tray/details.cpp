#include "ui/tray/details.h"

#include <QFormLayout>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "fmd/base/text.h"
#include "ui/tray/canvas.h"
#include "ui/tray/part_history.h"
#include "ui/tray/part_words.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

void empty(QLayout* layout) {
  while (QLayoutItem* item = layout->takeAt(0)) {
    delete item->widget();
    delete item;
  }
}

}  // namespace

QString consequence_of(const Inventory& inventory, const Resource& vdev) {
  const Resource* group = nullptr;
  for (const Resource* parent : inventory.parents(vdev.fmri, Relation::redundancy))
    if (parent->type == "zfs-vdev") group = parent;
  if (!group) return Details::tr("It holds the only copy of its data: the pool will fail.");
  int members = 0, out = 0;
  for (const Edge& edge : group->edges) {
    const Resource* member =
        edge.relation == Relation::redundancy ? inventory.find(edge.to) : nullptr;
    if (!member) continue;
    ++members;
    const bool usable = member->present &&
                        (member->is("service", "in-service") || member->is("service", "degraded"));
    out += !usable || member->fmri == vdev.fmri;
  }
  const std::string type = group->get("vdev_type");
  int survives = -1;
  if (type.starts_with("mirror") || type == "spare" || type == "replacing")
    survives = members - 1;
  else if (type.starts_with("raidz"))
    survives = type.size() > 5 && type[5] >= '1' && type[5] <= '3' ? type[5] - '0' : 1;
  if (survives < 0) return Details::tr("How many more losses its group will survive is unknown.");
  survives = std::max(0, survives - out);
  const QString name = QString::fromStdString(display(group->get("name")));
  return survives == 0
             ? Details::tr("%1 will survive no further loss.").arg(name)
             : Details::tr("%1 will survive %n more loss(es).", nullptr, survives).arg(name);
}

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
  cases_ = new QVBoxLayout;
  const auto button = [&](const QString& text, auto what) {
    auto* made = new QPushButton(text);
    made->setAutoDefault(false);
    connect(made, &QPushButton::clicked, this, what);
    return made;
  };
  locate_ = button(tr("&Locate"), [this] {
    session_.order(
        lit_ ? tr("Locate off") : tr("Locate"),
        [bay = bay_.toStdString(), on = !lit_](ui::Client& c) { return c.locate(bay, on); });
  });
  out_ = button(tr("Take out of ser&vice…"), [this] {
    if (!sure(tr("Take %1 out of service?").arg(title_->text()), consequence_)) return;
    session_.order(tr("Take out of service"), [part = vdev_.toStdString()](ui::Client& c) {
      return c.retire(part, "out-of-service", {});
    });
  });
  in_ = button(tr("Put &back into service"), [this] {
    session_.order(tr("Put back into service"),
                   [part = vdev_.toStdString()](ui::Client& c) { return c.restore(part, {}); });
  });
  const auto judge = [this](const char* verdict, const QString& what) {
    session_.order(what,
                   [verdict, uuid = case_.toStdString()](ui::Client& c) -> Result<std::string> {
                     const auto judged = c.judge(verdict, uuid, "", false);
                     if (!judged) return tl::unexpected(judged.error());
                     return std::string();
                   });
  };
  repaired_ = button(tr("Mark &repaired…"), [this, judge] {
    if (sure(tr("Mark %1 as repaired?").arg(title_->text()),
             tr("This closes its case. fmd puts back into service what it had taken out.")))
      judge("repaired", tr("Mark repaired"));
  });
  acquit_ = button(tr("&Acquit…"), [this, judge] {
    if (sure(tr("Acquit %1?").arg(title_->text()),
             tr("This states that the part is not at fault. fmd puts back into service what it had "
                "taken out.")))
      judge("acquitted", tr("Acquit"));
  });
  test_ = button(tr("Start a short &self-test"), [this] {
    session_.order(tr("Self-test"),
                   [disk = disk_.toStdString()](ui::Client& c) -> Result<std::string> {
                     auto answer = c.self_test(disk, "short", false);
                     if (!answer) return tl::unexpected(answer.error());
                     return answer->note;
                   });
  });
  history_ = new PartHistory(session);
  connect(history_, &PartHistory::case_wanted, this, &Details::case_wanted);
  connect(history_, &PartHistory::readings_wanted, this, &Details::readings_wanted);
  // What a person came for stands first: where it is, and what to do.
  rest->addWidget(locate_);
  rest->addLayout(cases_);
  for (QPushButton* one : {repaired_, acquit_, out_, in_, test_}) rest->addWidget(one);
  rest->addLayout(facts_);
  rest->addWidget(history_);
  for (QWidget* one : std::initializer_list<QWidget*>{title_, state_, nothing_, rest_})
    all->addWidget(one);
  all->addStretch();
  show_part(nullptr);
}

bool Details::sure(const QString& question, const QString& consequence) {
  QMessageBox box(QMessageBox::Question, tr("fmd"), question,
                  QMessageBox::Yes | QMessageBox::Cancel, this);
  box.setTextFormat(Qt::PlainText);
  box.setInformativeText(consequence);
  box.setDefaultButton(QMessageBox::Cancel);
  return box.exec() == QMessageBox::Yes;
}

void Details::row(const QString& name, const std::string& value) {
  row(name, QString::fromStdString(display(value)));
}

void Details::row(const QString& name, const QString& value) {
  if (!value.isEmpty()) facts_->addRow(name, plain_label(value));
}

void Details::show_part(const scene::Part* part) {
  while (facts_->rowCount() > 0) facts_->removeRow(0);
  empty(cases_);
  nothing_->setVisible(!part);
  title_->setVisible(part);
  state_->setVisible(part);
  rest_->setVisible(part && session_.snapshot());
  history_->show_part(part);
  if (!part || !session_.snapshot()) return;
  const SnapshotPtr snapshot = session_.snapshot();
  title_->setText(QString::fromStdString(part->label.empty() ? part->fmri : part->label));
  state_->setText(state_words(*part));
  show_state(part->state);
  facts(*part, snapshot->inventory);
  cases(*part, *snapshot);
  buttons(*part, *snapshot);
}

// In the colours of the picture, where it asks for somebody.
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
  const Resource* disk = inventory.find(part.holds);
  if (own && !disk) {
    row(tr("Status"), own->get("status"));
    row(tr("Why"), own->get("reason"));
    row(tr("Model"), own->get("model"));
    row(tr("Serial"), own->get("serial"));
    row(tr("Part number"), own->get("part_number"));
  }
  if (disk) {
    row(tr("Model"), disk->get("model"));
    row(tr("Serial"), disk->get("serial"));
    row(tr("Firmware"), disk->get("firmware"));
    row(tr("Part number"), disk->get("part_number"));
    row(tr("Size"), part.detail);
    row(tr("Device"), disk->get("path"));
    if (const std::string celsius = disk->get("temperature_celsius"); !celsius.empty())
      row(tr("Temperature"), celsius + " °C");
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

void Details::cases(const scene::Part& part, const Snapshot& snapshot) {
  for (const std::string& uuid : part.cases) {
    const auto c = std::find_if(snapshot.cases.begin(), snapshot.cases.end(),
                                [&](const Case& one) { return one.uuid == uuid; });
    if (c == snapshot.cases.end()) continue;
    QLabel* link = link_label(clean_text(c->title.empty() ? c->code : c->title));
    QFont bold = link->font();
    bold.setBold(true);
    link->setFont(bold);
    connect(link, &QLabel::linkActivated, this,
            [this, uuid] { emit case_wanted(QString::fromStdString(uuid)); });
    cases_->addWidget(link);
    cases_->addWidget(plain_label(QString::fromStdString(display(c->action, 1000))));
  }
}

void Details::buttons(const scene::Part& part, const Snapshot& snapshot) {
  bay_ = QString::fromStdString(part.fmri);
  const bool live = session_.connected();
  const bool is_bay = part.kind == scene::PartKind::bay;
  lit_ = part.locate == scene::Light::on;
  locate_->setVisible(is_bay);
  locate_->setText(lit_ ? tr("&Locate: switch off") : tr("&Locate"));
  locate_->setEnabled(live && part.locate != scene::Light::none);
  locate_->setToolTip(part.locate == scene::Light::none
                          ? tr("This bay has no light that can be switched")
                          : QString());
  const Resource* vdev = part.holds.empty() ? nullptr : leaf_on(snapshot.inventory, part.holds);
  const bool out = vdev && !vdev->is("service", "in-service");
  out_->setVisible(vdev && !out);
  in_->setVisible(vdev && out);
  out_->setEnabled(live && vdev && vdev->get("retire_refusal").empty());
  out_->setToolTip(
      vdev ? "<qt>" + QString::fromStdString(display(vdev->get("retire_refusal"))).toHtmlEscaped() +
                 "</qt>"
           : QString());
  in_->setEnabled(live);
  vdev_ = vdev ? QString::fromStdString(vdev->fmri) : QString();
  consequence_ = vdev ? consequence_of(snapshot.inventory, *vdev) : QString();
  disk_ = QString::fromStdString(part.holds);
  const Resource* disk = snapshot.inventory.find(part.holds);
  test_->setVisible(disk && disk->is("smart.state", "observed"));
  test_->setEnabled(live);
  case_.clear();
  if (!part.cases.empty()) case_ = QString::fromStdString(part.cases.front());
  for (QPushButton* one : {repaired_, acquit_}) {
    one->setVisible(!case_.isEmpty());
    one->setEnabled(live);
  }
}

}  // namespace fmd::tray
