#include "ui/tray/host_pages.h"

#include <QApplication>
#include <QDateTime>
#include <QEvent>
#include <QLabel>
#include <QLocale>
#include <QProcess>
#include <QPushButton>
#include <QTabWidget>
#include <QVBoxLayout>
#include <utility>

#include "fmd/base/text.h"
#include "ui/tray/chassis_page.h"
#include "ui/tray/demo.h"
#include "ui/tray/events.h"
#include "ui/tray/pools.h"
#include "ui/tray/problems.h"
#include "ui/tray/telemetry.h"
#include "ui/tray/words.h"

namespace fmd::tray {

HostPages::HostPages(Session& session, Hosts& hosts, QWidget* parent)
    : QWidget(parent), session_(session) {
  chassis_ = new ChassisPage(session);
  pools_ = new Pools(session);
  problems_ = new Problems(session);
  telemetry_ = new Telemetry(session, hosts);
  events_ = new Events(session);
  tabs_ = new QTabWidget;
  tabs_->addTab(chassis_, tr("&Chassis"));
  tabs_->addTab(problems_, tr("&Problems"));
  tabs_->addTab(pools_, tr("P&ools"));
  tabs_->addTab(telemetry_, tr("&Telemetry"));
  tabs_->addTab(events_, tr("&Events"));
  banner_ = plain_label();
  banner_->setMargin(8);
  banner_->setStyleSheet("background: #5c646d; color: white;");
  simulate_ = new QPushButton(tr("Show a s&imulated host instead"));
  simulate_->setToolTip(tr("Opens a window that plays the story of a failing disk"));
  connect(simulate_, &QPushButton::clicked, this, [this] {
    if (!QProcess::startDetached(QApplication::applicationFilePath(), {"--demo"}))
      emit said(tr("The simulated host cannot be started"));
  });
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(banner_);
  all->addWidget(simulate_, 0, Qt::AlignLeft);
  all->addWidget(tabs_);
  connect(&session, &Session::changed, this, &HostPages::refresh);
  connect(chassis_, &ChassisPage::case_wanted, this, &HostPages::show_case);
  connect(chassis_, &ChassisPage::picked, pools_, &Pools::mark);
  connect(chassis_, &ChassisPage::readings_wanted, this, [this](const QString& fmri) {
    telemetry_->show_part(fmri);
    tabs_->setCurrentWidget(telemetry_);
  });
  connect(problems_, &Problems::part_wanted, this, &HostPages::show_part);
  connect(pools_, &Pools::part_wanted, this, &HostPages::show_part);
  connect(pools_, &Pools::marked, chassis_, &ChassisPage::mark);
  connect(pools_, &Pools::group_wanted, this, [this](const QStringList& disks) {
    chassis_->mark(disks);
    tabs_->setCurrentWidget(chassis_);
  });
  connect(telemetry_, &Telemetry::part_wanted, this, &HostPages::show_part);
  told_ = {{problems_, [this] { problems_->refresh(); }},
           {chassis_, [this] { chassis_->refresh(); }},
           {pools_, [this] { pools_->refresh(); }},
           {telemetry_, [this] { telemetry_->refresh(); }}};
  for (const Page& page : told_) page.widget->installEventFilter(this);
  refresh();
}

void HostPages::show_case(const QString& uuid) {
  tabs_->setCurrentWidget(problems_);
  freshen(problems_);  // the window may still be hidden
  problems_->select(uuid);
}

void HostPages::show_part(const QString& fmri) {
  QWidget* before = tabs_->currentWidget();
  for (const QWidget* one : std::initializer_list<const QWidget*>{chassis_, pools_}) freshen(one);
  tabs_->setCurrentWidget(chassis_);
  if (chassis_->show_part(fmri)) return;
  // A pool is shown where its disks are listed. For an expander, its disks are shown.
  tabs_->setCurrentWidget(pools_);
  if (pools_->show_row(fmri)) return;
  const SnapshotPtr snapshot = session_.snapshot();
  const QString name = snapshot ? part_name(snapshot->inventory, fmri.toStdString())
                                : clean_text(fmri.toStdString());
  tabs_->setCurrentWidget(chassis_);
  if (chassis_->show_behind(fmri))
    return emit said(tr("%1 is in no picture: the bays that depend on it are outlined").arg(name));
  tabs_->setCurrentWidget(before);
  emit said(tr("That part is not in any picture: %1").arg(name));
}

QStringList HostPages::pages() const {
  return {"chassis", "problems", "pools", "telemetry", "events"};
}

void HostPages::show_page(int index) {
  tabs_->setCurrentIndex(index);
}

void HostPages::tell_connection() {
  const SnapshotPtr snapshot = session_.snapshot();
  const QString blind = snapshot && session_.connected() ? blind_words(*snapshot) : QString();
  banner_->setVisible(!session_.connected() || !blind.isEmpty());
  // Offer the demo if there is no fmd on this machine.
  simulate_->setVisible(!session_.connected() && !snapshot && session_.target().host.empty() &&
                        !session_.trouble().isEmpty() && find_simulator());
  if (session_.connected()) return banner_->setText(breakable(blind));
  const QString why =
      session_.trouble().isEmpty() ? tr("Connecting…")
      : snapshot
          ? tr("Not connected: what is shown is from %1. %2")
                .arg(QLocale().toString(snapshot->taken, QLocale::ShortFormat), session_.trouble())
          : tr("Not connected. %1").arg(session_.trouble());
  banner_->setText(breakable(why));
}

void HostPages::refresh() {
  tell_connection();
  int open = 0;
  if (const SnapshotPtr snapshot = session_.snapshot())
    for (const Case& c : snapshot->cases) open += c.state != CaseState::unsolved;
  tabs_->setTabText(1, open ? tr("&Problems (%1)").arg(open) : tr("&Problems"));
  for (Page& page : told_) {
    page.stale = !page.widget->isVisible();
    if (!page.stale) page.refresh();
  }
}

void HostPages::freshen(const QObject* widget) {
  for (Page& page : told_)
    if (page.widget == widget && std::exchange(page.stale, false)) page.refresh();
}

bool HostPages::eventFilter(QObject* of, QEvent* event) {
  if (event->type() == QEvent::Show) freshen(of);
  return QWidget::eventFilter(of, event);
}

}  // namespace fmd::tray
