// Snapshot: what one host's fmd last told, as values. Made by the session's thread, read by the windows.
#pragma once
#include <QDateTime>
#include <QMetaType>
#include <QString>
#include <memory>
#include <vector>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"

namespace fmd::tray {

struct Snapshot {
  QString host;  // its name, "" not known yet
  Inventory inventory;
  std::vector<Case> cases;  // open ones, gravest first, then newest
  QDateTime taken;
};
using SnapshotPtr = std::shared_ptr<const Snapshot>;

// How a host is, at a glance. Ordered: a later one is worse.
enum class Health { ok, unknown, degraded, faulted };
Health health_of(const Snapshot* snapshot, bool connected);
QString health_words(Health health);

}  // namespace fmd::tray

Q_DECLARE_METATYPE(fmd::tray::SnapshotPtr)
