// Instance: one fmtray a desktop session. The second one asks the first to show itself (the
// Activate call of org.freedesktop.Application, or ActivateAction with the hosts it was started for) and ends.
#pragma once
#include <QDBusConnection>
#include <QObject>
#include <QStringList>
#include <QVariantList>
#include <QVariantMap>

namespace fmd::tray {

class Instance : public QObject {
  Q_OBJECT
  Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Application")

 public:
  explicit Instance(const QDBusConnection& bus, QObject* parent = nullptr);
  // This is the only one; or there is no bus, and nothing tells.
  bool first();
  bool wake_other(const QStringList& hosts = {});  // false: it does not answer

 public slots:
  void Activate(const QVariantMap& platform_data);
  void ActivateAction(const QString& action, const QVariantList& parameters,
                      const QVariantMap& platform_data);

 signals:
  void activated();
  void hosts_wanted(const QStringList& hosts);  // "[user@]host"; activated() follows

 private:
  QDBusConnection bus_;
};

}  // namespace fmd::tray
