// Notices: desktop notifications with buttons (Desktop Notifications Specification 1.2). Never
// blocks on the server: if none answers, unshown() is emitted and the tray shows the text.
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
    QString key;  // returned by the signals
    QString title, body;
    bool grave = false;
    bool locatable = false;  // there is an LED to locate it
  };
  void tell(const Notice& notice);
  void withdraw(const QString& key);  // its subject is over

 signals:
  void unshown(const fmd::tray::Notices::Notice& notice);  // no server shows notifications
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
  QMap<uint, QString> shown_;                        // server's id → key
  QMap<QString, QDBusPendingCallWatcher*> pending_;  // by key: neither answered nor withdrawn
};

}  // namespace fmd::tray
