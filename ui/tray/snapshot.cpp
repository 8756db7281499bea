#include "ui/tray/snapshot.h"

#include <QCoreApplication>

namespace fmd::tray {

Health health_of(const Snapshot* snapshot, bool connected) {
  if (!snapshot || !connected) return Health::unknown;
  Health worst = Health::ok;
  for (const Case& c : snapshot->cases) {
    if (c.state == CaseState::unsolved || !c.faulty()) continue;
    worst = std::max(worst, severity_rank(c.severity) >= 2 ? Health::faulted : Health::degraded);
  }
  return worst;
}

QString health_words(Health health) {
  switch (health) {
    case Health::ok:
      return QCoreApplication::translate("Health", "No problems");
    case Health::degraded:
      return QCoreApplication::translate("Health", "Minor problems");
    case Health::faulted:
      return QCoreApplication::translate("Health", "Something is faulty");
    case Health::unknown:
      break;
  }
  return QCoreApplication::translate("Health", "Not connected: state unknown");
}

}  // namespace fmd::tray
