// HostPages: all pages about one host: chassis, pools, problems, telemetry, events.
#pragma once
#include <QWidget>
#include <functional>
#include <vector>

#include "ui/tray/session.h"

class QLabel;
class QPushButton;
class QTabWidget;

namespace fmd::tray {

class ChassisPage;
class Events;
class Hosts;
class Pools;
class Problems;
class Telemetry;

class HostPages : public QWidget {
  Q_OBJECT

 public:
  HostPages(Session& session, Hosts& hosts, QWidget* parent = nullptr);

  Session& session() { return session_; }
  void show_case(const QString& uuid);
  void show_part(const QString& fmri);
  // The pages by name, for file names.
  QStringList pages() const;
  void show_page(int index);

 signals:
  void said(const QString& text);  // for the status line

 private:
  // Hidden pages are refreshed when they are shown.
  struct Page {
    QWidget* widget;
    std::function<void()> refresh;
    bool stale = false;
  };
  void refresh();
  void freshen(const QObject* widget);
  bool eventFilter(QObject* of, QEvent* event) override;
  void tell_connection();

  Session& session_;
  QTabWidget* tabs_;
  QLabel* banner_;
  QPushButton* simulate_;
  ChassisPage* chassis_;
  Pools* pools_;
  Problems* problems_;
  Telemetry* telemetry_;
  Events* events_;
  std::vector<Page> told_;  // those that are notified of changes
};

}  // namespace fmd::tray
