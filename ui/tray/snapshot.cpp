#include "ui/tray/snapshot.h"

#include <QCoreApplication>
#include <algorithm>
#include <utility>

#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

struct HealthText {
  Q_DECLARE_TR_FUNCTIONS(Health)
};

QString why_words(const ui::Watcher& one) {
  if (!one.reason.empty()) return clean_text(one.reason, 200);
  if (one.state == "dead") return HealthText::tr("is not running");
  if (one.state == "silent") return HealthText::tr("does not respond");
  return clean_text(one.state);
}

QStringList orders_in(const ui::MachineNow& now) {
  QStringList lines;
  for (const auto* list : {&now.pull_order, &now.old_disks})
    for (const std::string& sentence : *list) lines << clean_text(sentence);
  return lines;
}

QStringList bounded(QStringList lines, qsizetype most) {
  if (lines.size() <= most) return lines;
  lines.resize(most);
  lines << HealthText::tr("There is more: run 'fmadm'.");
  return lines;
}

}  // namespace

const ui::Advice* advice_on(const ui::AdviceByCase& advice, const Case& c) {
  const auto at = advice.find(c.uuid);
  return at == advice.end() ? nullptr : &at->second;
}

Health health_of(const Snapshot* snapshot, bool connected) {
  if (!snapshot || !connected) return Health::unknown;
  Health worst = snapshot->eyes.blind() ? Health::unknown : Health::ok;
  for (const Case& c : snapshot->cases) {
    if (c.state == CaseState::unsolved || !c.faulty()) continue;
    const ui::Advice* advice = advice_on(snapshot->advice, c);
    if (advice && advice->needs == "nobody") continue;  // for information only, as in fmadm
    worst = std::max(worst, severity_rank(c.severity) >= 2 ? Health::faulted : Health::degraded);
  }
  return worst;
}

QString health_words(const Snapshot* snapshot, bool connected) {
  switch (health_of(snapshot, connected)) {
    case Health::ok:
      return HealthText::tr("No problems");
    case Health::degraded:
      return HealthText::tr("Minor problems");
    case Health::faulted:
      return HealthText::tr("Something needs attention");
    case Health::unknown:
      break;
  }
  if (!snapshot || !connected) return HealthText::tr("Not connected: state unknown");
  return snapshot->eyes.watching.empty()
             ? HealthText::tr("Nothing is watched: state unknown")
             : HealthText::tr("Not everything is watched: state unknown");
}

QStringList order_words(const Snapshot& snapshot) {
  constexpr qsizetype kMost = 6;
  return bounded(orders_in(snapshot.now), kMost);
}

QStringList now_words(const Snapshot& snapshot) {
  constexpr qsizetype kMost = 12;
  const ui::MachineNow& now = snapshot.now;
  QStringList lines = orders_in(now);
  const auto add = [&](const QString& line) {
    if (!line.isEmpty() && !lines.contains(line)) lines << line;
  };
  for (const std::string& sentence : now.unanswering) add(clean_text(sentence));
  for (const ui::PoolNow& pool : now.pools) {
    for (const std::string& sentence : pool.expected) add(clean_text(sentence));
    if (!pool.well && !pool.scan.empty())
      add(HealthText::tr("%1: %2").arg(clean_text(pool.name), clean_text(pool.scan)));
  }
  for (const ui::HeldSuspicion& held : now.held)
    add(held.decided_by_ns == 0
            ? HealthText::tr("Suspected: %1: %2, decided when another case ends")
                  .arg(clean_text(held.name), clean_text(held.text))
            : HealthText::tr("Suspected: %1: %2, decided by %3")
                  .arg(clean_text(held.name), clean_text(held.text),
                       time_text(held.decided_by_ns)));
  if (!now.maintenance.empty())
    add(now.maintenance_end.empty()
            ? clean_text(now.maintenance)
            : HealthText::tr("%1. End it with: %2")
                  .arg(clean_text(now.maintenance), clean_text(now.maintenance_end)));
  return bounded(std::move(lines), kMost);
}

QStringList unwatched_words(const Snapshot& snapshot) {
  QStringList lines;
  for (const ui::Watcher* one : snapshot.eyes.missing())
    lines << clean_text(one->name) + ": " + why_words(*one);
  return lines;
}

QString blind_words(const Snapshot& snapshot) {
  if (!snapshot.eyes.blind()) return {};
  const QStringList lines = unwatched_words(snapshot);
  const QString what =
      snapshot.eyes.watching.empty()
          ? HealthText::tr("Nothing is watched: faults are not noticed.")
          : HealthText::tr("Not everything is watched: some faults are not noticed.");
  return lines.isEmpty() ? what
                         : what + " " + HealthText::tr("Not watching: %1").arg(lines.join("; "));
}

}  // namespace fmd::tray
