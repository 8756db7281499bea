#include "ui/tray/tray.h"

#include <QApplication>

#include "ui/tray/health_icon.h"
#include "ui/tray/story.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

constexpr qsizetype kLongestLine = 160, kLongestTitle = 120, kLongestBody = 300;

// In a menu, "&" marks a shortcut key.
QString menu_text(const Case& c, const ui::Advice* advice) {
  return headline_of(c, advice).left(kLongestLine).replace('&', "&&");
}

const Case* case_of(const Session& session, const QString& uuid) {
  if (const SnapshotPtr snapshot = session.snapshot())
    for (const Case& c : snapshot->cases)
      if (QString::fromStdString(c.uuid) == uuid) return &c;
  return nullptr;
}

std::string bay_of(const Case& c) {
  const Suspect* suspect = suspect_of(c);
  return suspect ? suspect->bay : std::string();
}

// With advice, the headline names the part.
Notices::Notice notice_of(const Case& c, const ui::Advice* advice) {
  Notices::Notice notice{QString::fromStdString(c.uuid), headline_of(c, advice),
                         to_do_of(c, advice).left(kLongestBody), severity_rank(c.severity) >= 2,
                         !bay_of(c).empty()};
  if (!advice) {
    const QString where = place_of(c, nullptr);
    notice.title = matter_of(c, nullptr);
    if (!where.isEmpty()) notice.body = where + "\n" + notice.body;
  } else if (const QString safe = safe_words(advice); !safe.isEmpty()) {
    notice.body += "\n" + Tray::tr("Safe to pull: %1").arg(safe);
  }
  notice.title = notice.title.left(kLongestTitle);
  return notice;
}

}  // namespace

Tray::Tray(Hosts& hosts, Window& window, const QDBusConnection& bus, Names names)
    : hosts_(hosts), window_(window), names_(names), notices_(bus) {
  icon_.setContextMenu(&menu_);
  // Queued, so that the chosen entry is handled before the menu is rebuilt.
  connect(&menu_, &QMenu::aboutToHide, this, &Tray::refresh, Qt::QueuedConnection);
  connect(&hosts, &Hosts::listed, this, [this] {
    forget();
    refresh();
  });
  connect(&hosts, &Hosts::changed, this, [this](Session* session) {
    announce(*session);
    refresh();
  });
  connect(&icon_, &QSystemTrayIcon::activated, this, [this](QSystemTrayIcon::ActivationReason why) {
    if (why == QSystemTrayIcon::Trigger || why == QSystemTrayIcon::DoubleClick) open();
  });
  // As a notification, because a user who pressed a button on one may see no window.
  connect(&hosts, &Hosts::answered, this,
          [this](Session* session, const QString& what, bool done, const QString& text) {
            if (done || window_.isActiveWindow()) return;
            Notices::Notice notice{"answer", outcome_words(what, done, text), {}, false, false};
            if (hosts_.all().size() > 1) notice.body = session->name();
            notices_.tell(notice);
          });
  const auto show = [this](const QString& uuid) {
    if (Session* session = session_of(uuid)) window_.show_case(session, uuid);
    open();
  };
  connect(&icon_, &QSystemTrayIcon::messageClicked, this, [this, show] { show(announced_); });
  connect(&notices_, &Notices::show_wanted, this, show);
  connect(&notices_, &Notices::unshown, this, [this](const Notices::Notice& notice) {
    announced_ = notice.key;
    icon_.showMessage(notice.title, notice.body,
                      notice.grave ? QSystemTrayIcon::Critical : QSystemTrayIcon::Warning);
  });
  connect(&notices_, &Notices::locate_wanted, this, [this](const QString& uuid) {
    Session* session = session_of(uuid);
    const Case* c = session ? case_of(*session, uuid) : nullptr;
    if (!c) return;
    session->order(tr("Locate"),
                   [bay = bay_of(*c)](ui::Client& client) { return client.locate(bay, true); });
  });
  refresh();
  icon_.show();
}

void Tray::open() {
  window_.show();
  window_.raise();
  window_.activateWindow();
}

Session* Tray::session_of(const QString& uuid) const {
  for (const auto& one : hosts_.all())
    if (case_of(*one, uuid)) return one.get();
  return nullptr;
}

// The menu entry of that host.
Tray::Entry Tray::entry_of(Session& session) {
  Entry entry{&session,
              session.name().replace('&', "&&"),
              health_of(session.snapshot().get(), session.connected()),
              health_words(session.snapshot().get(), session.connected()),
              {}};
  if (const SnapshotPtr snapshot = session.snapshot())
    for (const Case& c : snapshot->cases)
      if (c.state != CaseState::unsolved)
        entry.cases.push_back(
            {QString::fromStdString(c.uuid), menu_text(c, advice_on(snapshot->advice, c))});
  return entry;
}

void Tray::list(QMenu& menu, const Entry& entry) {
  for (const auto& [uuid, text] : entry.cases)
    menu.addAction(text, this, [this, uuid = uuid] {
      if (Session* now = session_of(uuid)) window_.show_case(now, uuid);
      open();
    });
  if (menu.isEmpty()) menu.addAction(entry.words)->setEnabled(false);
}

// An open menu is not updated until it closes, so that nothing moves under the pointer.
void Tray::refresh() {
  if (const Health now = hosts_.health(); shown_ != now) {
    shown_ = now;
    icon_.setIcon(health_icon(now));
  }
  QStringList tip;
  std::vector<Entry> entries;
  for (Session* session : hosts_.by_need()) {
    entries.push_back(entry_of(*session));
    tip << session->name() + ": " + entries.back().words;
    if (const SnapshotPtr snapshot = session->snapshot()) tip << unwatched_words(*snapshot);
  }
  icon_.setToolTip(tip.join('\n'));
  if ((entries == entries_ && !menu_.isEmpty()) || menu_.isVisible()) return;
  entries_ = std::move(entries);
  menu_.clear();
  submenus_.clear();
  for (const Entry& entry : entries_) {
    if (entries_.size() == 1) {
      list(menu_, entry);
      continue;
    }
    submenus_.push_back(std::make_unique<QMenu>(entry.name));
    submenus_.back()->setIcon(health_icon(entry.health));
    menu_.addMenu(submenus_.back().get());
    list(*submenus_.back(), entry);
  }
  menu_.addSeparator();
  menu_.addAction(tr("&Open"), this, &Tray::open);
  menu_.addAction(tr("&Quit"), qApp, &QApplication::quit);
}

// Forgets removed hosts: a new session may have the same address.
void Tray::forget() {
  QMap<QString, QString> kept;
  QMap<Session*, QMap<QString, QString>> there;
  for (const auto& one : hosts_.all())
    if (const auto at = known_.constFind(one.get()); at != known_.constEnd()) {
      there[one.get()] = *at;
      kept.insert(*at);
    }
  for (const auto& cases : known_)
    for (const QString& uuid : cases.keys())
      if (!kept.contains(uuid)) notices_.withdraw(uuid);
  known_ = there;
}

void Tray::announce(Session& session) {
  const SnapshotPtr snapshot = session.snapshot();
  if (!snapshot) return;
  const bool first = !known_.contains(&session);
  const QMap<QString, QString> before = known_.value(&session);
  QMap<QString, QString> open;
  for (const Case& c : snapshot->cases) {
    if (c.state == CaseState::unsolved) continue;
    const QString uuid = QString::fromStdString(c.uuid);
    const ui::Advice* advice = advice_on(snapshot->advice, c);
    const bool is_new = !before.contains(uuid);
    QString& order = open[uuid];
    order = before.value(uuid);
    if (advice && advice->needs == "you") order = QString::fromStdString(advice->do_now);
    if (first || (!is_new && order == before[uuid])) continue;
    Notices::Notice notice = notice_of(c, advice);
    if (names_ == Names::always || hosts_.all().size() > 1)
      notice.title = session.name() + ": " + notice.title;
    notices_.withdraw(uuid);  // the advice has changed
    notices_.tell(notice);
  }
  for (const QString& uuid : before.keys())
    if (!open.contains(uuid)) notices_.withdraw(uuid);
  known_[&session] = open;
}

}  // namespace fmd::tray
