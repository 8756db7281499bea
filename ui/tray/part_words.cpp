#include "ui/tray/part_words.h"

#include <QCoreApplication>
#include <QLocale>
#include <set>

#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

struct PartWords {
  Q_DECLARE_TR_FUNCTIONS(PartWords)
};

// Translates fmd's terms; other words stay unchanged.
template <size_t N>
QString known_word(const std::pair<const char*, const char*> (&words)[N], const std::string& word) {
  for (const auto& [name, means] : words)
    if (word == name) return PartWords::tr(means);
  return clean_text(word);
}

QString state_text(scene::PartState state) {
  switch (state) {
    case scene::PartState::empty:
      return PartWords::tr("Empty");
    case scene::PartState::ok:
      return PartWords::tr("Watched, healthy");
    case scene::PartState::spare:
      return PartWords::tr("Spare, idle");
    case scene::PartState::unwatched:
      return PartWords::tr("Present, not monitored");
    case scene::PartState::unknown:
      return PartWords::tr("Unknown: not monitored");
    case scene::PartState::rebuilding:
      return PartWords::tr("Rebuilding: data is being copied to it");
    case scene::PartState::degraded:
      return PartWords::tr("Needs attention (minor)");
    case scene::PartState::faulted:
      return PartWords::tr("Needs attention");
  }
  return {};
}

QStringList disk_facts(const scene::Part& part, const Inventory& inventory, const Resource& disk) {
  QStringList facts{clean_text(disk.get("model"))};
  if (const QString serial = clean_text(disk.get("serial")); !serial.isEmpty())
    facts << PartWords::tr("serial %1").arg(serial);
  facts << clean_text(part.detail);
  std::set<QString> pools;
  for (const Resource* vdev : inventory.parents(disk.fmri, Relation::redundancy))
    if (vdev->present && !vdev->get("pool").empty()) pools.insert(clean_text(vdev->get("pool")));
  for (const QString& pool : pools) facts << PartWords::tr("in %1").arg(pool);
  return facts;
}

QString left_words(int64_t seconds) {
  if (seconds < 60) return PartWords::tr("less than a minute left");
  const int64_t minutes = (seconds + 59) / 60, hours = minutes / 60;
  if (hours == 0) return PartWords::tr("%1 min left").arg(minutes);
  if (hours < 24) return PartWords::tr("%1 h %2 min left").arg(hours).arg(minutes % 60);
  return PartWords::tr("%1 d %2 h left").arg(hours / 24).arg(hours % 24);
}

}  // namespace

QString state_words(const scene::Part& part) {
  const QString state = state_text(part.state);
  if (!part.progress) return state;
  return state + " (" + QLocale().toString(*part.progress * 100, 'f', 0) + " %)";
}

QString part_says(const scene::Part& part, const Inventory& inventory) {
  QStringList facts;
  if (const Resource* disk = inventory.find(part.holds); disk && disk->type == "disk")
    facts = disk_facts(part, inventory, *disk);
  else
    facts << clean_text(part.detail);
  facts.removeAll(QString());
  QStringList all{clean_text(part.label.empty() ? part.fmri : part.label)};
  if (!facts.isEmpty()) all << facts.join(", ");
  all << state_words(part);
  if (!part.trouble.empty()) all << clean_text(part.trouble);
  return all.join(": ");
}

QString light_words(const std::string& light) {
  static constexpr std::pair<const char*, const char*> kWords[] = {
      {"on", QT_TRANSLATE_NOOP("PartWords", "on")},
      {"off", QT_TRANSLATE_NOOP("PartWords", "off")},
      {"cannot-drive", QT_TRANSLATE_NOOP("PartWords", "cannot be switched")},
      {"unknown", QT_TRANSLATE_NOOP("PartWords", "unknown")}};
  return known_word(kWords, light);
}

QString smart_words(const Resource& disk) {
  static constexpr std::pair<const char*, const char*> kWords[] = {
      {"passed", QT_TRANSLATE_NOOP("PartWords", "passed")},
      {"failed", QT_TRANSLATE_NOOP("PartWords", "failed")},
      {"unknown", QT_TRANSLATE_NOOP("PartWords", "unknown")},
      {"observed", QT_TRANSLATE_NOOP("PartWords", "monitored")},
      {"not-observed", QT_TRANSLATE_NOOP("PartWords", "not monitored")},
      {"standby", QT_TRANSLATE_NOOP("PartWords", "in standby")},
      {"hung", QT_TRANSLATE_NOOP("PartWords", "does not answer")}};
  const bool told = disk.is("smart.state", "observed") && !disk.get("smart.status").empty();
  return known_word(kWords, disk.get(told ? "smart.status" : "smart.state"));
}

bool is_storage(const Resource& resource) {
  return resource.type == "zfs-pool" || resource.type == "md-array" || resource.type == "btrfs" ||
         resource.type == "lvm-volume";
}

QString work_words(const ui::Scan& scan) {
  static constexpr std::pair<const char*, const char*> kWords[] = {
      {"resilver", QT_TRANSLATE_NOOP("PartWords", "resilver")},
      {"scrub", QT_TRANSLATE_NOOP("PartWords", "scrub")},
      {"rebuild", QT_TRANSLATE_NOOP("PartWords", "rebuild")},
      {"check", QT_TRANSLATE_NOOP("PartWords", "check")},
      {"raidz expansion", QT_TRANSLATE_NOOP("PartWords", "raidz expansion")},
      {"reshape", QT_TRANSLATE_NOOP("PartWords", "reshape")}};
  return known_word(kWords, scan.work_words());
}

QString progress_words(const ui::Scan& scan) {
  QStringList words{PartWords::tr("%1 % done").arg(QLocale().toString(scan.percent, 'f', 1))};
  if (scan.rate_bytes > 0)
    words << QLocale().formattedDataSize(static_cast<qint64>(scan.rate_bytes)) + "/s";
  words << (scan.seconds_left >= 0 ? left_words(scan.seconds_left)
                                   : PartWords::tr("no estimate yet"));
  return words.join(", ");
}

}  // namespace fmd::tray
