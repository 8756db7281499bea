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

namespace {

// A case for information only is none, as in fmadm.
bool is_problem(const Snapshot& snapshot, const Case& c) {
  const ui::Advice* advice = advice_on(snapshot.advice, c);
  return c.state != CaseState::unsolved && c.faulty() && !(advice && advice->needs == "nobody");
}

// " (dry run, maintenance)", as in the first line of fmadm.
QString mode_words(const Snapshot& snapshot) {
  QStringList modes;
  if (snapshot.eyes.dry_run) modes << HealthText::tr("dry run");
  if (!snapshot.now.maintenance.empty()) modes << HealthText::tr("maintenance");
  return modes.isEmpty() ? QString() : " (" + modes.join(", ") + ")";
}

}  // namespace

Health health_of(const Snapshot* snapshot, bool connected) {
  if (!snapshot || !connected) return Health::unknown;
  Health worst = snapshot->eyes.blind() ? Health::unknown : Health::ok;
  for (const Case& c : snapshot->cases) {
    if (!is_problem(*snapshot, c)) continue;
    worst = std::max(worst, severity_rank(c.severity) >= 2 ? Health::faulted : Health::degraded);
  }
  // A pool may be degraded without a case: a disk was taken offline, or pulled a minute ago.
  if (!ui::pools_words(snapshot->now).empty()) worst = std::max(worst, Health::degraded);
  return worst;
}

bool has_problems(const Snapshot& snapshot) {
  return std::any_of(snapshot.cases.begin(), snapshot.cases.end(),
                     [&](const Case& c) { return is_problem(snapshot, c); });
}

QString health_words(const Snapshot* snapshot, bool connected) {
  const QString pools = snapshot ? clean_text(ui::pools_words(snapshot->now)) : QString();
  const QString held = snapshot ? clean_text(ui::held_words(snapshot->now)) : QString();
  switch (health_of(snapshot, connected)) {
    case Health::ok:
      return HealthText::tr("No problems") + (held.isEmpty() ? held : ", " + held) +
             mode_words(*snapshot);
    case Health::degraded:
      return (has_problems(*snapshot) || pools.isEmpty() ? HealthText::tr("Minor problems")
                                                         : pools) +
             mode_words(*snapshot);
    case Health::faulted:
      return HealthText::tr("Something needs attention") + mode_words(*snapshot);
    case Health::unknown:
      break;
  }
  if (!snapshot || !connected) return HealthText::tr("Not connected: state unknown");
  return snapshot->eyes.watching.empty()
             ? HealthText::tr("Nothing is watched: state unknown")
             : HealthText::tr("Not everything is watched: state unknown");
}

namespace {

void add_line(QStringList& lines, const QString& line) {
  if (!line.isEmpty() && !lines.contains(line)) lines << line;
}

void add_modes(QStringList& lines, const Snapshot& snapshot) {
  const ui::MachineNow& now = snapshot.now;
  if (!now.maintenance.empty())
    add_line(lines, now.maintenance_end.empty()
                        ? clean_text(now.maintenance)
                        : HealthText::tr("%1. End it with: %2")
                              .arg(clean_text(now.maintenance), clean_text(now.maintenance_end)));
  if (snapshot.eyes.dry_run)
    add_line(lines, HealthText::tr("Dry run: fmd announces actions and carries none out. End it "
                                   "with: fmadm dry-run off"));
}

}  // namespace

QStringList order_words(const Snapshot& snapshot) {
  constexpr qsizetype kMost = 6;
  QStringList lines = orders_in(snapshot.now);
  if (!has_problems(snapshot))
    for (const ui::PoolNow& pool : snapshot.now.pools)
      for (const std::string& sentence : pool.expected) add_line(lines, clean_text(sentence));
  add_modes(lines, snapshot);
  return bounded(std::move(lines), kMost);
}

QStringList now_words(const Snapshot& snapshot) {
  constexpr qsizetype kMost = 12;
  const ui::MachineNow& now = snapshot.now;
  QStringList lines = orders_in(now);
  const auto add = [&](const QString& line) { add_line(lines, line); };
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
  add_modes(lines, snapshot);
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
