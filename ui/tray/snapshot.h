// Snapshot: the last state of one host's fmd. Created by the session's thread, read by the windows.
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
  QString host;  // "" if not known yet
  Inventory inventory;
  std::vector<Case> cases;  // open ones, most severe first, then newest
  ui::AdviceByCase advice;  // empty with an older fmd
  ui::MachineNow now;       // besides the cases; empty with an older fmd
  ui::Watching eyes;
  // Computed in the reading thread, because it takes time for a big host.
  std::vector<scene::Scene> scenes;  // one per chassis, in the order of scene::pictured()
  std::vector<HeatFigure> figures;
  QDateTime taken;
};
// nullptr with an older fmd, which gives no advice.
const ui::Advice* advice_on(const ui::AdviceByCase& advice, const Case& c);
using SnapshotPtr = std::shared_ptr<const Snapshot>;

// The overall state of a host, in ascending order of severity.
enum class Health { ok, unknown, degraded, faulted };
// unknown: not connected, or no known problem but incomplete observation.
Health health_of(const Snapshot* snapshot, bool connected);
// A sentence about it, with the reason if unknown.
QString health_words(const Snapshot* snapshot, bool connected);
// A case needs fmd or a person; not one that only informs.
bool has_problems(const Snapshot& snapshot);
// fmd's sentences about several cases or none: which disk to pull first, which old one to remove,
// the mode, and the pools' state if no case explains it.
QStringList order_words(const Snapshot& snapshot);
// The same, and other sentences apart from the cases: pools, suspicions, maintenance.
QStringList now_words(const Snapshot& snapshot);
// Sources that should observe but do not, one line each: "smart: no smartctl".
QStringList unwatched_words(const Snapshot& snapshot);
// Says that an empty list of problems means nothing; "" if everything is observed.
QString blind_words(const Snapshot& snapshot);

}  // namespace fmd::tray

Q_DECLARE_METATYPE(fmd::tray::SnapshotPtr)
