#include "ui/tray/part_actions.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "fmd/scene/places.h"
#include "ui/client/surroundings.h"
#include "ui/tray/question.h"
#include "ui/tray/story.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

bool is_in(const Suspect& suspect, const scene::Part& part, const Inventory& inventory) {
  const auto inside = part.kind == scene::PartKind::bay ? std::vector<const Resource*>()
                                                        : scene::inside(inventory, part.fmri);
  for (const std::string& one : {suspect.fru, suspect.resource, suspect.asru})
    if (!one.empty() && (one == part.fmri || one == part.holds ||
                         std::any_of(inside.begin(), inside.end(),
                                     [&](const Resource* r) { return r->fmri == one; })))
      return true;
  return suspect.bay == part.fmri;
}

// The problems that the question is about.
QString titles_of(const std::vector<QString>& titles) {
  QString all;
  for (const QString& title : titles) all += "\n• " + title;
  return all;
}

}  // namespace

QString consequence_of(const Resource& vdev) {
  const int left = static_cast<int>(ui::number_of(vdev, "losses_left", -1));
  if (left < 0 && vdev.is("role", "log"))
    return PartActions::tr("The pool goes on without its log device.");
  if (left < 0) return PartActions::tr("How many more losses its group will survive is unknown.");
  const QString name = clean_text(vdev.get("losses_group"));
  return left == 0 ? PartActions::tr("%1 will survive no further loss.").arg(name)
                   : PartActions::tr("%1 will survive %n more loss(es).", nullptr, left).arg(name);
}

PartActions::PartActions(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
  locate_ = button(tr("&Locate"), &PartActions::locate);
  out_ = button(tr("Take out of ser&vice…"), &PartActions::take_out);
  in_ = button(tr("Put &back into service…"), &PartActions::put_back);
  repaired_ = button(tr("Mark &repaired…"), &PartActions::repaired);
  replaced_ = button(tr("&Mark replaced…"), &PartActions::replaced);
  acquit_ = button(tr("&Acquit…"), &PartActions::acquit);
  test_ = button(tr("Start a short &self-test"), &PartActions::test);
  cases_ = new QVBoxLayout;
  // The most important first: where the part is, and what to do.
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(locate_);
  all->addLayout(cases_);
  for (QPushButton* one : {repaired_, replaced_, acquit_, out_, in_, test_}) all->addWidget(one);
}

QPushButton* PartActions::button(const QString& text, void (PartActions::*what)(Subject about)) {
  auto* made = new QPushButton(text);
  made->setAutoDefault(false);
  connect(made, &QPushButton::clicked, this, [this, what] { (this->*what)(about_); });
  return made;
}

void PartActions::locate(Subject about) {
  session_.order(about.lit ? tr("Locate off") : tr("Locate"),
                 [bay = about.bay, on = !about.lit](ui::Client& c) { return c.locate(bay, on); });
}

void PartActions::take_out(Subject about) {
  if (!ask(this, {tr("Take %1 out of service?").arg(about.name), about.without}).yes) return;
  session_.order(tr("Take out of service"), [part = about.vdev](ui::Client& c) {
    return c.retire(part, "out-of-service", {});
  });
}

void PartActions::put_back(Subject about) {
  QString meant =
      tr("fmd then keeps it in service, whatever its problems say, until you take it "
         "out again or they are over.");
  if (!about.accused.empty()) meant += "\n" + tr("It is still held to be faulty.");
  if (!ask(this, {tr("Put %1 back into service?").arg(about.name), meant}).yes) return;
  session_.order(tr("Put back into service"),
                 [part = about.vdev](ui::Client& c) { return c.restore(part, {}); });
}

void PartActions::judge(const char* verdict, const QString& what, const Subject& about,
                        bool force) {
  session_.order(what,
                 [verdict = std::string(verdict), accused = about.accused,
                  force](ui::Client& c) -> Result<std::string> {
                   Result<std::string> outcome = std::string();
                   for (const Accusation& one : accused)
                     if (const auto judged = c.judge(verdict, one.uuid, one.part, force);
                         !judged && outcome)
                       outcome = tl::unexpected(judged.error());
                   return outcome;
                 });
}

void PartActions::repaired(Subject about) {
  std::vector<QString> titles;
  for (const Accusation& one : about.accused) titles.push_back(one.title);
  if (ask(this, {tr("Mark %1 as repaired?").arg(about.name),
                 tr("fmd puts back into service what it had taken out for:") + titles_of(titles)})
          .yes)
    judge("repaired", tr("Mark repaired"), about, false);
}

void PartActions::replaced(Subject about) {
  std::vector<QString> titles;
  for (const Accusation& one : about.accused) titles.push_back(one.title);
  const Answer answer =
      ask(this, {tr("Mark %1 as replaced?").arg(about.name),
                 tr("fmd puts back into service what it had taken out for:") + titles_of(titles),
                 tr("Even if the &very same part is still there")});
  if (answer.yes) judge("replaced", tr("Mark replaced"), about, answer.ticked);
}

void PartActions::acquit(Subject about) {
  std::vector<QString> titles;
  bool others = false;
  for (const Accusation& one : about.accused) {
    titles.push_back(one.title);
    others = others || one.others;
  }
  QString meant = tr("This states that the part is not at fault. fmd puts back into service what "
                     "it had taken out for:") +
                  titles_of(titles);
  if (others) meant += "\n" + tr("The other suspects stay accused.");
  if (ask(this, {tr("Acquit %1?").arg(about.name), meant}).yes)
    judge("acquitted", tr("Acquit"), about, false);
}

void PartActions::test(Subject about) {
  session_.order(tr("Self-test"), [disk = about.disk](ui::Client& c) -> Result<std::string> {
    auto answer = c.self_test(disk, "short", false);
    if (!answer) return tl::unexpected(answer.error());
    return answer->note;
  });
}

void PartActions::show_part(const scene::Part& part, const Snapshot& snapshot) {
  about_ = {};
  about_.name = QString::fromStdString(part.label.empty() ? part.fmri : part.label);
  about_.bay = part.fmri;
  about_.disk = part.holds;
  about_.lit = part.locate == scene::Light::on;
  list_cases(part, snapshot);
  show_buttons(part, snapshot);
}

void PartActions::list_cases(const scene::Part& part, const Snapshot& snapshot) {
  std::vector<Told> told;
  for (const std::string& uuid : part.cases) {
    const auto c = std::find_if(snapshot.cases.begin(), snapshot.cases.end(),
                                [&](const Case& one) { return one.uuid == uuid; });
    if (c == snapshot.cases.end()) continue;
    const ui::Advice* advice = advice_on(snapshot.advice, *c);
    const QString title = matter_of(*c, advice);
    const bool others = c->suspects.size() > 1;
    for (const Suspect& s : c->suspects)
      if (s.status == SuspectStatus::faulty && is_in(s, part, snapshot.inventory)) {
        about_.accused.push_back({uuid, s.fru.empty() ? s.resource : s.fru, title, others});
        break;  // if a part holds several, all have its name
      }
    QString orders = to_do_of(*c, advice);
    if (const QString safe = safe_words(advice); !safe.isEmpty())
      orders += "\n" + tr("Safe to pull: %1").arg(safe);
    told.push_back({uuid, title, orders});
  }
  if (told == told_) return;  // a button must not vanish during a click
  told_ = std::move(told);
  clear_layout(cases_);
  for (const auto& [uuid, title, action] : told_) {
    QLabel* link = link_label(title);
    QFont bold = link->font();
    bold.setBold(true);
    link->setFont(bold);
    connect(link, &QLabel::linkActivated, this,
            [this, uuid = uuid] { emit case_wanted(QString::fromStdString(uuid)); });
    cases_->addWidget(link);
    cases_->addWidget(plain_label(action));
  }
}

void PartActions::show_buttons(const scene::Part& part, const Snapshot& snapshot) {
  const bool live = session_.connected();
  locate_->setVisible(part.kind == scene::PartKind::bay);
  locate_->setText(about_.lit ? tr("&Locate: switch off") : tr("&Locate"));
  locate_->setEnabled(live && part.locate != scene::Light::none);
  locate_->setToolTip(part.locate == scene::Light::none
                          ? tr("This bay has no light that can be switched")
                          : QString());
  const Resource* vdev = part.holds.empty() ? nullptr : leaf_on(snapshot.inventory, part.holds);
  const bool whole = vdev && vdev->is("service", "in-service");
  // A degraded part is in service: it can be retired or restored.
  out_->setVisible(whole || (vdev && vdev->is("service", "degraded")));
  in_->setVisible(vdev && !whole);
  const QString refusal = vdev ? clean_text(vdev->get("retire_refusal")) : QString();
  out_->setEnabled(live && refusal.isEmpty());
  out_->setToolTip(refusal.isEmpty() ? QString() : "<qt>" + refusal.toHtmlEscaped() + "</qt>");
  in_->setEnabled(live);
  if (vdev) about_.vdev = vdev->fmri;
  if (vdev) about_.without = consequence_of(*vdev);
  const Resource* disk = snapshot.inventory.find(part.holds);
  test_->setVisible(disk && disk->is("smart.state", "observed"));
  test_->setEnabled(live);
  for (QPushButton* one : {repaired_, replaced_, acquit_}) {
    one->setVisible(!about_.accused.empty());
    one->setEnabled(live);
  }
}

}  // namespace fmd::tray
