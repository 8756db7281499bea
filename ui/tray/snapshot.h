// Snapshot: what one host's fmd last told, as values. Made by the session's thread, read by the windows.
#pragma once
#include <QDateTime>
#include <QMetaType>
#include <QString>
#include <QStringList>
#include <memory>
#include <vector>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "fmd/scene/scene.h"
#include "ui/client/advice.h"
#include "ui/client/watching.h"
#include "ui/tray/heat_figures.h"

namespace fmd::tray {

struct Snapshot {
  QString host;  // its name, "" not known yet
  Inventory inventory;
  std::vector<Case> cases;  // open ones, gravest first, then newest
  ui::AdviceByCase advice;  // empty: an older fmd
  ui::MachineNow now;       // beside the cases; empty: an older fmd
  ui::Watching eyes;
  // What takes time on a big host is done where it is read, not where it is shown.
  std::vector<scene::Scene> scenes;  // of each chassis, in scene::pictured()'s order
  std::vector<HeatFigure> figures;
  QDateTime taken;
};
// nullptr: an older fmd, which gives none.
const ui::Advice* advice_on(const ui::AdviceByCase& advice, const Case& c);
using SnapshotPtr = std::shared_ptr<const Snapshot>;

// How a host is, at a glance. Ordered: a later one is worse.
enum class Health { ok, unknown, degraded, faulted };
// unknown: not connected, or no problem is known and not everything is watched.
Health health_of(const Snapshot* snapshot, bool connected);
// A sentence for it; of what is unknown, why.
QString health_words(const Snapshot* snapshot, bool connected);
// fmd's sentences about several cases or none: which disk to pull first, which old one to take out.
QStringList order_words(const Snapshot& snapshot);
// The same, and what else holds apart from the cases: pools, suspicions, maintenance.
QStringList now_words(const Snapshot& snapshot);
// What should be watched and is not, a line each: "smart: no smartctl".
QStringList unwatched_words(const Snapshot& snapshot);
// That an empty list of problems means nothing; "" all is watched.
QString blind_words(const Snapshot& snapshot);

}  // namespace fmd::tray

Q_DECLARE_METATYPE(fmd::tray::SnapshotPtr)
