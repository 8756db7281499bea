#include "ui/tray/window.h"

#include <QDir>
#include <QInputDialog>
#include <QLabel>
#include <QListWidget>
#include <QLocale>
#include <QMenuBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTimer>
#include <set>

#include "ui/tray/fleet.h"
#include "ui/tray/health_icon.h"
#include "ui/tray/host_pages.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

constexpr int kSettleMs = 1200;  // time for the answers to a page's queries

}  // namespace

Window::Window(Hosts& hosts) : hosts_(hosts) {
  setWindowTitle(tr("Hardware faults"));
  resize(1180, 720);
  list_ = new QListWidget;
  list_->setAccessibleName(tr("Hosts"));
  list_->setMaximumWidth(240);
  fleet_ = new Fleet(hosts);
  stack_ = new QStackedWidget;
  stack_->addWidget(fleet_);
  auto* split = new QSplitter;
  split->addWidget(list_);
  split->addWidget(stack_);
  split->setStretchFactor(1, 1);
  setCentralWidget(split);
  connection_ = new QLabel;
  connection_->setTextFormat(Qt::PlainText);
  statusBar()->addPermanentWidget(connection_);
  QMenu* menu = menuBar()->addMenu(tr("&Hosts"));
  menu->addAction(tr("&Add a host…"), this, &Window::add_host);
  remove_ = menu->addAction(tr("&Remove this host"), this, &Window::remove_host);
  menu->addSeparator();
  menu->addAction(tr("&Close"), QKeySequence::Close, this, &QWidget::close);
  connect(&hosts, &Hosts::listed, this, &Window::list_hosts);
  connect(&hosts, &Hosts::changed, this, &Window::refresh);
  connect(&hosts, &Hosts::answered, this,
          [this](Session*, const QString& what, bool done, const QString& text) {
            say(outcome_words(what, done, text));
          });
  connect(fleet_, &Fleet::host_wanted, this, &Window::show_host);
  connect(list_, &QListWidget::currentRowChanged, this, [this](int row) {
    if (row < 0) return;
    const size_t all = hosts_.all().size();
    if (row == 0 && all > 1) {
      stack_->setCurrentWidget(fleet_);
      return refresh();
    }
    const size_t at = static_cast<size_t>(row) - (all > 1 ? 1 : 0);
    if (at < all) show_host(hosts_.all()[at].get());
  });
  list_hosts();
}

HostPages* Window::pages_of(Session* session) {
  HostPages*& pages = pages_[session];
  if (!pages) {
    pages = new HostPages(*session, hosts_);
    stack_->addWidget(pages);
    connect(pages, &HostPages::said, this, &Window::say);
  }
  return pages;
}

void Window::list_hosts() {
  // Remove the pages of removed hosts.
  std::set<Session*> there;
  for (const auto& one : hosts_.all()) there.insert(one.get());
  for (auto it = pages_.begin(); it != pages_.end();) {
    if (there.contains(it->first)) {
      ++it;
      continue;
    }
    delete it->second;
    it = pages_.erase(it);
  }
  const bool several = hosts_.all().size() > 1;
  {
    const QSignalBlocker quiet(list_);
    list_->clear();
    if (several) list_->addItem(tr("All hosts"));
    for (size_t i = 0; i < hosts_.all().size(); ++i) list_->addItem(QString());
  }
  list_->setVisible(several);
  if (several)
    list_->setCurrentRow(0);
  else if (!hosts_.all().empty())
    show_host(hosts_.all().front().get());
  refresh();
}

void Window::show_host(Session* session) {
  stack_->setCurrentWidget(pages_of(session));
  const bool several = hosts_.all().size() > 1;
  for (size_t i = 0; i < hosts_.all().size(); ++i)
    if (hosts_.all()[i].get() == session) {
      const QSignalBlocker quiet(list_);
      list_->setCurrentRow(static_cast<int>(i) + (several ? 1 : 0));
    }
  refresh();
}

void Window::show_remotes(const QStringList& names) {
  for (const QString& name : names) {
    Session* session = hosts_.remote(name);
    if (!session) session = hosts_.add_remote(name);
    if (session)
      show_host(session);
    else
      say(tr("%1 is not a host name, or is already listed").arg(name));
  }
}

void Window::show_case(Session* session, const QString& uuid) {
  show_host(session);
  pages_of(session)->show_case(uuid);
}

void Window::show_part(Session* session, const QString& fmri) {
  show_host(session);
  pages_of(session)->show_part(fmri);
}

void Window::say(const QString& text) {
  statusBar()->showMessage(QString(text).replace('\n', ' '), 20000);
}

void Window::refresh() {
  // An icon consists of seven pictures, so it is drawn only on a change.
  if (const Health now = hosts_.health(); shown_ != now) {
    shown_ = now;
    setWindowIcon(health_icon(now));
  }
  const bool several = hosts_.all().size() > 1;
  for (size_t i = 0; i < hosts_.all().size(); ++i) {
    const Session& one = *hosts_.all()[i];
    QListWidgetItem* item = list_->item(static_cast<int>(i) + (several ? 1 : 0));
    if (!item) continue;
    const Health health = health_of(one.snapshot().get(), one.connected());
    item->setText(one.name());
    if (const int now = static_cast<int>(health); item->data(Qt::UserRole) != QVariant(now)) {
      item->setData(Qt::UserRole, now);
      item->setIcon(health_icon(health));
    }
    item->setToolTip(health_words(one.snapshot().get(), one.connected()));
  }
  const auto* pages = dynamic_cast<HostPages*>(stack_->currentWidget());
  Session* session = pages ? &const_cast<HostPages*>(pages)->session() : nullptr;
  remove_->setEnabled(session && !session->target().host.empty());
  const SnapshotPtr snapshot = session ? session->snapshot() : nullptr;
  connection_->setText(snapshot
                           ? tr("%1, as of %2")
                                 .arg(snapshot->host, QLocale().toString(snapshot->taken.time(),
                                                                         QLocale::LongFormat))
                           : QString());
  setWindowTitle(session ? tr("%1: hardware faults").arg(session->name()) : tr("Hardware faults"));
}

void Window::add_host() {
  const QString host = QInputDialog::getText(this, tr("Add a host"),
                                             tr("Host name, or USER@HOST. fmtray connects by ssh "
                                                "with your key; no port needs to be opened."));
  if (host.isEmpty()) return;
  Session* added = hosts_.add_remote(host);
  if (!added) return say(tr("%1 is not a host name, or is already listed").arg(host));
  emit hosts_edited();
  show_host(added);
}

void Window::remove_host() {
  auto* pages = dynamic_cast<HostPages*>(stack_->currentWidget());
  if (!pages || pages->session().target().host.empty()) return;
  hosts_.remove(&pages->session());
  emit hosts_edited();
}

void Window::screenshots(const QString& folder,
                         const std::function<void(const QString& failed)>& done) {
  if (hosts_.all().empty()) return done(folder);
  stack_->setCurrentWidget(fleet_);
  refresh();
  const QString name = QDir(folder).filePath("fleet.png");
  if (!grab().save(name)) return done(name);
  show_host(hosts_.by_need().front());
  screenshot(folder, 0, done);
}

void Window::screenshot(const QString& folder, int page,
                        const std::function<void(const QString& failed)>& done) {
  auto* pages = dynamic_cast<HostPages*>(stack_->currentWidget());
  if (!pages || page >= pages->pages().size()) return done({});
  pages->show_page(page);
  QTimer::singleShot(kSettleMs, this, [this, folder, page, pages, done] {
    const QString name = QDir(folder).filePath(pages->pages()[page] + ".png");
    if (!grab().save(name)) return done(name);
    screenshot(folder, page + 1, done);
  });
}

}  // namespace fmd::tray
