#include "ui/tray/notices.h"

#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QVariantMap>

namespace fmd::tray {
namespace {

constexpr const char* kService = "org.freedesktop.Notifications";
constexpr const char* kNoticesPath = "/org/freedesktop/Notifications";
constexpr uchar kNormal = 1, kCritical = 2;

}  // namespace

Notices::Notices(const QDBusConnection& bus, int patience_ms)
    : bus_(bus), patience_ms_(patience_ms) {
  bus_.connect(kService, kNoticesPath, kService, "ActionInvoked", this,
               SLOT(on_action(uint, QString)));
  bus_.connect(kService, kNoticesPath, kService, "NotificationClosed", this,
               SLOT(on_closed(uint, uint)));
}

void Notices::tell(const Notice& notice) {
  QDBusMessage call = QDBusMessage::createMethodCall(kService, kNoticesPath, kService, "Notify");
  QStringList actions{"show", tr("Show")};
  if (notice.locatable) actions << "locate" << tr("Locate");
  // Servers with "body-markup" parse the body as markup, so device text is escaped.
  call << "fmtray" << uint{0} << "org.fmd.fmtray" << notice.title << notice.body.toHtmlEscaped()
       << actions
       << QVariantMap{{"urgency", QVariant::fromValue(notice.grave ? kCritical : kNormal)},
                      {"desktop-entry", "org.fmd.fmtray"}}
       << -1;
  auto* asked = new QDBusPendingCallWatcher(bus_.asyncCall(call, patience_ms_), this);
  pending_[notice.key] = asked;
  connect(asked, &QDBusPendingCallWatcher::finished, this,
          [this, notice](QDBusPendingCallWatcher* answered) { took(answered, notice); });
}

void Notices::took(QDBusPendingCallWatcher* call, const Notice& notice) {
  call->deleteLater();
  const bool wanted = pending_.value(notice.key) == call;
  if (wanted) pending_.remove(notice.key);
  const QDBusPendingReply<uint> reply = *call;
  if (reply.isError()) {
    if (wanted) emit unshown(notice);
  } else if (wanted) {
    shown_[reply.value()] = notice.key;
  } else {
    close(reply.value());  // the case ended before the server showed the notification
  }
}

void Notices::close(uint id) {
  QDBusMessage call =
      QDBusMessage::createMethodCall(kService, kNoticesPath, kService, "CloseNotification");
  call << id;
  bus_.asyncCall(call);
}

void Notices::withdraw(const QString& key) {
  pending_.remove(key);
  for (const uint id : shown_.keys(key)) {
    close(id);
    shown_.remove(id);
  }
}

void Notices::on_action(uint id, const QString& action) {
  const auto at = shown_.constFind(id);
  if (at == shown_.constEnd()) return;
  const QString key = *at;
  if (action == "locate")
    emit locate_wanted(key);
  else
    emit show_wanted(key);
}

void Notices::on_closed(uint id, uint) {
  shown_.remove(id);
}

}  // namespace fmd::tray
