#include "ui/tray/screenshots.h"

#include <QDeadlineTimer>
#include <QDir>
#include <QEventLoop>
#include <QTimer>

#include "ui/tray/map_helper.h"
#include "ui/tray/window.h"

namespace fmd::tray {
namespace {

// The first chassis with bays; "" if none.
QString chassis_with_bays(const Inventory& inventory) {
  for (const auto& [fmri, one] : inventory.all()) {
    if (one.type != "bay" || !one.present) continue;
    for (const Resource* above : inventory.parents(fmri, Relation::contains))
      if (above->type == "enclosure") return QString::fromStdString(above->fmri);
  }
  return {};
}

}  // namespace

QString take_screenshots(Window& window, const QString& folder, const Awaited& awaited) {
  if (!QDir().mkpath(folder)) return folder + " cannot be made";
  QString failed;
  QEventLoop loop;
  const QDeadlineTimer deadline(awaited.patience);
  QTimer look;
  QObject::connect(&look, &QTimer::timeout, &loop, [&] {
    const bool there = awaited.there();
    if (!there) failed = awaited.failed();
    if (!there && failed.isEmpty() && !deadline.hasExpired()) return;
    look.stop();
    if (there)
      return window.screenshots(folder, [&](const QString& lacking) {
        if (!lacking.isEmpty()) failed = lacking + " cannot be written";
        loop.quit();
      });
    if (failed.isEmpty())
      failed = QString("what is to be painted has not come about within %1 s")
                   .arg(static_cast<double>(awaited.patience.count()) / 1000);
    loop.quit();
  });
  constexpr int kLookMs = 100;
  look.start(kLookMs);
  window.show();
  loop.exec();
  return failed;
}

QString take_map_helper_screenshot(Session& session, const QString& folder, const QSize& size) {
  constexpr int kPlaced = 3, kPatienceMs = 60'000;
  MapHelper helper(session, chassis_with_bays(session.snapshot()->inventory));
  helper.setAttribute(Qt::WA_DeleteOnClose, false);
  helper.resize(size);
  QEventLoop loop;
  int placed = 0;
  // Queued, so that the helper has finished its question.
  QObject::connect(
      &helper, &MapHelper::asked, &loop,
      [&] {
        if (placed == kPlaced) return loop.quit();
        helper.place(QString("1 %1").arg(++placed), false);
      },
      Qt::QueuedConnection);
  QTimer::singleShot(kPatienceMs, &loop, [&] { loop.exit(1); });
  helper.show();
  if (loop.exec() != 0) return "the map helper has not asked for a bay";
  const QString name = QDir(folder).filePath("map-helper.png");
  return helper.grab().save(name) ? QString() : name + " cannot be written";
}

}  // namespace fmd::tray
