// PolkitAuthority: a fake polkit in the test's own thread with a set answer; records requests.
#pragma once
#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVirtualObject>
#include <QMap>
#include <QStringList>

namespace fmd::tray {

constexpr const char* kPolkit = "org.freedesktop.PolicyKit1";
constexpr const char* kPolkitPath = "/org/freedesktop/PolicyKit1/Authority";

class PolkitAuthority : public QDBusVirtualObject {
 public:
  enum class Answer { no, password, yes };
  QString introspect(const QString&) const override { return {}; }
  bool handleMessage(const QDBusMessage& message, const QDBusConnection& bus) override {
    if (message.member() != "CheckAuthorization") return false;
    const QVariantList told = message.arguments();
    const bool may_ask = told.at(3).toUInt() & 1;
    asked << told.at(1).toString() + (may_ask ? ", a person may be asked" : "");
    QDBusArgument decision;
    decision.beginStructure();
    decision << (answer == Answer::yes) << (answer == Answer::password) << QMap<QString, QString>();
    decision.endStructure();
    return bus.send(message.createReply(QVariant::fromValue(decision)));
  }
  Answer answer = Answer::no;
  QStringList asked;  // the actions, in order
};

}  // namespace fmd::tray
