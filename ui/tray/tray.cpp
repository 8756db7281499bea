#include "ui/tray/tray.h"

#include <QApplication>

#include "ui/tray/health_icon.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

// A menu reads "&" as a mark for a key.
QString menu_text(const Case& c) {
  const QString where = place_of(c);
  QString line = clean_text(c.title, 120) + (where.isEmpty() ? QString() : ": " + where);
  return line.replace('&', "&&");
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

}  // namespace

Tray::Tray(Hosts& hosts, Window& window, const QDBusConnection& bus)
    : hosts_(hosts), window_(window), notices_(bus) {
  icon_.setContextMenu(&menu_);
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
  // A refusal is seen, too, by somebody who pressed a button on a notification.
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

void Tray::list(QMenu& menu, Session& session) {
  if (const SnapshotPtr snapshot = session.snapshot())
    for (const Case& c : snapshot->cases) {
      if (c.state == CaseState::unsolved) continue;
      menu.addAction(menu_text(c), this, [this, uuid = QString::fromStdString(c.uuid)] {
        if (Session* now = session_of(uuid)) window_.show_case(now, uuid);
        open();
      });
    }
  const Health health = health_of(session.snapshot().get(), session.connected());
  if (menu.isEmpty()) menu.addAction(health_words(health))->setEnabled(false);
}

void Tray::refresh() {
  const Health health = hosts_.health();
  icon_.setIcon(health_icon(health));
  QStringList tip;
  menu_.clear();
  const auto by_need = hosts_.by_need();
  for (Session* session : by_need) {
    const Health own = health_of(session->snapshot().get(), session->connected());
    tip << session->name() + ": " + health_words(own);
    if (by_need.size() == 1) {
      list(menu_, *session);
    } else {
      QMenu* sub = menu_.addMenu(health_icon(own), session->name().replace('&', "&&"));
      list(*sub, *session);
    }
  }
  icon_.setToolTip(tip.join('\n'));
  menu_.addSeparator();
  menu_.addAction(tr("&Open"), this, &Tray::open);
  menu_.addAction(tr("&Quit"), qApp, &QApplication::quit);
}

// Another session may come to stand at the same address.
void Tray::forget() {
  QSet<QString> gone, kept;
  QMap<Session*, QSet<QString>> there;
  for (const auto& one : hosts_.all())
    if (const auto at = known_.constFind(one.get()); at != known_.constEnd()) {
      there[one.get()] = *at;
      kept |= *at;
    }
  for (const QSet<QString>& uuids : known_) gone |= uuids;
  for (const QString& uuid : gone - kept) notices_.withdraw(uuid);
  known_ = there;
}

void Tray::announce(Session& session) {
  const SnapshotPtr snapshot = session.snapshot();
  if (!snapshot) return;
  const bool first = !known_.contains(&session);
  QSet<QString> open;
  for (const Case& c : snapshot->cases) {
    if (c.state == CaseState::unsolved) continue;
    const QString uuid = QString::fromStdString(c.uuid);
    open.insert(uuid);
    if (first || known_[&session].contains(uuid)) continue;
    const QString where = place_of(c);
    Notices::Notice notice{uuid, clean_text(c.title, 120), clean_text(c.action, 300),
                           severity_rank(c.severity) >= 2, !bay_of(c).empty()};
    if (!where.isEmpty()) notice.body = where + "\n" + notice.body;
    if (hosts_.all().size() > 1) notice.title = session.name() + ": " + notice.title;
    notices_.tell(notice);
  }
  for (const QString& uuid : known_.value(&session))
    if (!open.contains(uuid)) notices_.withdraw(uuid);
  known_[&session] = open;
}

}  // namespace fmd::tray
