// Window: the pages of one host; with several hosts also an overview and a list to choose from.
#pragma once
#include <QMainWindow>
#include <map>
#include <optional>

#include "ui/tray/hosts.h"

class QAction;
class QLabel;
class QListWidget;
class QStackedWidget;

namespace fmd::tray {

class Fleet;
class HostPages;

class Window : public QMainWindow {
  Q_OBJECT

 public:
  explicit Window(Hosts& hosts);

  void show_host(Session* session);
  // Shows these hosts, named as in `fmtray --host`; adds missing ones.
  void show_remotes(const QStringList& names);
  void show_case(Session* session, const QString& uuid);
  void show_part(Session* session, const QString& fmri);
  // Paints each page to DIR/NAME.png once its data has been read; failed: what could not be
  // written, or "".
  void screenshots(const QString& folder, const std::function<void(const QString& failed)>& done);

 signals:
  void hosts_edited();  // the user added or removed one

 private:
  void list_hosts();
  void refresh();
  void say(const QString& text);
  void add_host();
  void remove_host();
  HostPages* pages_of(Session* session);
  void screenshot(const QString& folder, int page,
                  const std::function<void(const QString& failed)>& done);

  Hosts& hosts_;
  std::optional<Health> shown_;  // by the window's icon
  QListWidget* list_;
  QStackedWidget* stack_;
  Fleet* fleet_;
  std::map<Session*, HostPages*> pages_;
  QLabel* connection_;
  QAction* remove_;
};

}  // namespace fmd::tray
