// Tray: the icon with the state of all hosts, the menu of open problems, and a notification for
// each new problem and each changed order to the user; none for problems that are open at the
// start.
#pragma once
#include <QMap>
#include <QMenu>
#include <QSystemTrayIcon>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ui/tray/notices.h"
#include "ui/tray/window.h"

namespace fmd::tray {

class Tray : public QObject {
  Q_OBJECT

 public:
  // Whether a notification names its host: if there are several, or always.
  enum class Names { several, always };
  Tray(Hosts& hosts, Window& window, const QDBusConnection& bus, Names names = Names::several);
  void open();

 private:
  void refresh();
  struct Entry {
    const Session* session;
    QString name;
    Health health;
    QString words;
    std::vector<std::pair<QString, QString>> cases;  // uuid, menu text
    bool operator==(const Entry&) const = default;
  };
  static Entry entry_of(Session& session);
  void list(QMenu& menu, const Entry& entry);
  void announce(Session& session);
  void forget();  // removed hosts and their notifications
  Session* session_of(const QString& key) const;

  Hosts& hosts_;
  Window& window_;
  const Names names_;
  Notices notices_;
  QMenu menu_;
  std::vector<std::unique_ptr<QMenu>> submenus_;  // destroyed before the menu that contains them
  std::optional<Health> shown_;                   // shown by the icon
  std::vector<Entry> entries_;                    // as shown in the menu
  QSystemTrayIcon icon_;
  // Case → the last order to the user ("Replace the disk …") that was announced, or present when
  // the host was first seen. "": there was none yet.
  QMap<Session*, QMap<QString, QString>> known_;
  QString announced_;  // key of the last message shown by the icon itself
};

}  // namespace fmd::tray
