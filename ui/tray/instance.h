// Instance: one fmtray per desktop session. A second one asks the first to show itself (the
// Activate call of org.freedesktop.Application, or ActivateAction with its hosts) and exits.
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
  // True if this is the only instance, or if there is no bus to find out.
  bool first();
  bool wake_other(const QStringList& hosts = {});  // false: no answer

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
