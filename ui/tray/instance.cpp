#include "ui/tray/instance.h"

#include <QDBusConnectionInterface>
#include <QDBusMessage>
#include <QDBusReply>

namespace fmd::tray {
namespace {

constexpr const char* kName = "org.fmd.fmtray";
constexpr const char* kPath = "/org/fmd/fmtray";
constexpr int kPatienceMs = 10000;

}  // namespace

Instance::Instance(const QDBusConnection& bus, QObject* parent) : QObject(parent), bus_(bus) {}

bool Instance::first() {
  if (!bus_.isConnected()) return true;
  // The object first: who sees the name finds it there.
  bus_.registerObject(kPath, this, QDBusConnection::ExportAllSlots);
  return bus_.registerService(kName);
}

bool Instance::wake_other() {
  QDBusMessage call =
      QDBusMessage::createMethodCall(kName, kPath, "org.freedesktop.Application", "Activate");
  call << QVariantMap();
  return QDBusReply<void>(bus_.call(call, QDBus::Block, kPatienceMs)).isValid();
}

void Instance::Activate(const QVariantMap&) {
  emit activated();
}

}  // namespace fmd::tray
