// Notices: desktop notifications with buttons (Desktop Notifications Specification 1.2). Nothing waits for
// the server: where none runs, or it does not answer, unshown() says so and the tray shows it.
#pragma once
#include <QDBusConnection>
#include <QMap>
#include <QObject>
#include <QString>

class QDBusPendingCallWatcher;

namespace fmd::tray {

class Notices : public QObject {
  Q_OBJECT

 public:
  static constexpr int kPatienceMs = 5000;  // for the server's answer
  explicit Notices(const QDBusConnection& bus, int patience_ms = kPatienceMs);

  struct Notice {
    QString key;  // handed back by the signals
    QString title, body;
    bool grave = false;
    bool locatable = false;  // there is a light to locate it by
  };
  void tell(const Notice& notice);
  void withdraw(const QString& key);  // what it is about is over

 signals:
  void unshown(const fmd::tray::Notices::Notice& notice);  // nobody shows notifications here
  void show_wanted(const QString& key);
  void locate_wanted(const QString& key);

 private slots:
  void on_action(uint id, const QString& action);
  void on_closed(uint id, uint reason);

 private:
  void took(QDBusPendingCallWatcher* call, const Notice& notice);
  void close(uint id);

  QDBusConnection bus_;
  const int patience_ms_;
  QMap<uint, QString> shown_;                        // the server's id → key
  QMap<QString, QDBusPendingCallWatcher*> pending_;  // by key: not answered, not withdrawn
};

}  // namespace fmd::tray
