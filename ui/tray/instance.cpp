#include "ui/tray/instance.h"

#include <QDBusConnectionInterface>
#include <QDBusMessage>
#include <QDBusReply>

namespace fmd::tray {
namespace {

constexpr const char* kBusName = "org.fmd.fmtray";
constexpr const char* kPath = "/org/fmd/fmtray";
constexpr const char* kShowHosts = "show-hosts";
constexpr int kPatienceMs = 10000;

}  // namespace

Instance::Instance(const QDBusConnection& bus, QObject* parent) : QObject(parent), bus_(bus) {}

bool Instance::first() {
  if (!bus_.isConnected()) return true;
  // Register the object first, so that it exists when others see the name.
  bus_.registerObject(kPath, this, QDBusConnection::ExportAllSlots);
  return bus_.registerService(kBusName);
}

bool Instance::wake_other(const QStringList& hosts) {
  const bool plain = hosts.isEmpty();
  QDBusMessage call = QDBusMessage::createMethodCall(kBusName, kPath, "org.freedesktop.Application",
                                                     plain ? "Activate" : "ActivateAction");
  if (!plain) {
    QVariantList names;
    for (const QString& host : hosts) names << host;
    call << QString(kShowHosts) << names;
  }
  call << QVariantMap();
  return QDBusReply<void>(bus_.call(call, QDBus::Block, kPatienceMs)).isValid();
}

void Instance::Activate(const QVariantMap&) {
  emit activated();
}

void Instance::ActivateAction(const QString& action, const QVariantList& parameters,
                              const QVariantMap&) {
  if (action != kShowHosts) return;
  QStringList hosts;
  for (const QVariant& one : parameters) hosts << one.toString();
  emit hosts_wanted(hosts);
  emit activated();
}

}  // namespace fmd::tray
