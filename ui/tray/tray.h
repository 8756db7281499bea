// Tray: the icon with the state of all hosts at a glance, the menu of open problems, and a notification for
// each new one and whenever its order to the user changes. What is open when fmtray starts is not announced.
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
  // Whether a notification names its host: where there are several, or always.
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
    std::vector<std::pair<QString, QString>> cases;  // uuid, what the menu says
    bool operator==(const Entry&) const = default;
  };
  static Entry entry_of(Session& session);
  void list(QMenu& menu, const Entry& entry);
  void announce(Session& session);
  void forget();  // hosts that were removed, and what was told of them
  Session* session_of(const QString& key) const;

  Hosts& hosts_;
  Window& window_;
  const Names names_;
  Notices notices_;
  QMenu menu_;
  std::vector<std::unique_ptr<QMenu>> submenus_;  // gone before the menu that they are in
  std::optional<Health> shown_;                   // by the icon
  std::vector<Entry> entries_;                    // as the menu shows them
  QSystemTrayIcon icon_;
  // Case → the last order to the user ("Replace the disk …") that was announced, or stood there when the host was
  // first seen. "": there was none yet.
  QMap<Session*, QMap<QString, QString>> known_;
  QString announced_;  // the newest that the icon itself told of
};

}  // namespace fmd::tray
