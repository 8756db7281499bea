// Hosts: one session per host: this machine, and others through ssh. The caller stores the list.
#pragma once
#include <QObject>
#include <QStringList>
#include <memory>
#include <vector>

#include "ui/tray/session.h"

namespace fmd::tray {

class Hosts : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  const std::vector<std::unique_ptr<Session>>& all() const { return sessions_; }
  Session* add(ui::Target target, const QString& name = {}, Session::Patience patience = {});
  // "[user@]host"; nullptr: not a host's name, or already present.
  Session* add_remote(const QString& host);
  static bool is_name(const QString& host);
  Session* remote(const QString& host) const;  // nullptr if absent
  void remove(Session* session);
  QStringList remotes() const;  // as passed to add_remote()
  // The worst of all hosts.
  Health health() const;
  // Worst first, then by name.
  std::vector<Session*> by_need() const;

 signals:
  void listed();                   // a host was added or removed
  void changed(Session* session);  // a host's data
  // The result of an order (Session::order).
  void answered(Session* session, const QString& what, bool done, const QString& text);

 private:
  std::vector<std::unique_ptr<Session>> sessions_;
};

}  // namespace fmd::tray
