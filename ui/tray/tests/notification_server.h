// NotificationServer: a fake in the test's own thread; records notifications and withdrawals.
#pragma once
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVirtualObject>
#include <QList>

namespace fmd::tray {

constexpr const char* kNotifications = "org.freedesktop.Notifications";
constexpr const char* kNotificationsPath = "/org/freedesktop/Notifications";

class NotificationServer : public QDBusVirtualObject {
 public:
  QString introspect(const QString&) const override { return {}; }
  bool handleMessage(const QDBusMessage& message, const QDBusConnection& bus) override {
    if (message.member() == "Notify") {
      told.push_back(message);
      if (answers) bus.send(message.createReply(static_cast<uint>(told.size())));
    } else if (message.member() == "CloseNotification") {
      closed.push_back(message.arguments().at(0).toUInt());
      bus.send(message.createReply());
    }
    return true;
  }
  bool answers = true;
  QList<QDBusMessage> told;
  QList<uint> closed;
};

}  // namespace fmd::tray
