// Tray: the icon with the state of all hosts at a glance, the menu of open problems, and a
// notification for each new one. What is open when fmtray comes is no news.
#pragma once
#include <QMap>
#include <QMenu>
#include <QSet>
#include <QSystemTrayIcon>

#include "ui/tray/notices.h"
#include "ui/tray/window.h"

namespace fmd::tray {

class Tray : public QObject {
  Q_OBJECT

 public:
  Tray(Hosts& hosts, Window& window, const QDBusConnection& bus);
  void open();

 private:
  void refresh();
  void list(QMenu& menu, Session& session);
  void announce(Session& session);
  void forget();  // hosts that were removed, and what was told of them
  Session* session_of(const QString& key) const;

  Hosts& hosts_;
  Window& window_;
  Notices notices_;
  QMenu menu_;
  QSystemTrayIcon icon_;
  QMap<Session*, QSet<QString>> known_;  // told of, or open when first seen
  QString announced_;                    // the newest that the icon itself told of
};

}  // namespace fmd::tray
