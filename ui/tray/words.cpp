#include "ui/tray/words.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QDateTime>
#include <QLabel>
#include <QLayout>
#include <QLocale>
#include <QSignalBlocker>
#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/model/fmri.h"
#include "fmd/scene/drawing.h"
#include "ui/client/surroundings.h"

namespace fmd::tray {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(Words)
};

QString status_words(SuspectStatus status) {
  switch (status) {
    case SuspectStatus::faulty:
      return Words::tr("faulty");
    case SuspectStatus::repaired:
      return Words::tr("repaired");
    case SuspectStatus::replaced:
      return Words::tr("replaced");
    case SuspectStatus::acquitted:
      return Words::tr("acquitted");
    case SuspectStatus::merged:
      return Words::tr("in another case now");
  }
  return {};
}

// Of an entry of the timeline; one that is not known here is shown as it is.
QString kind_words(const std::string& kind) {
  static constexpr std::pair<const char*, const char*> kWords[] = {
      {"diagnosed", QT_TRANSLATE_NOOP("Words", "diagnosed")},
      {"updated", QT_TRANSLATE_NOOP("Words", "updated")},
      {"waiting", QT_TRANSLATE_NOOP("Words", "waits")},
      {"retire", QT_TRANSLATE_NOOP("Words", "taken out of service")},
      {"out-of-service", QT_TRANSLATE_NOOP("Words", "out of service")},
      {"spare", QT_TRANSLATE_NOOP("Words", "spare")},
      {"replace", QT_TRANSLATE_NOOP("Words", "new disk")},
      {"fault-led", QT_TRANSLATE_NOOP("Words", "fault light")},
      {"notify", QT_TRANSLATE_NOOP("Words", "message")},
      {"acknowledged", QT_TRANSLATE_NOOP("Words", "acknowledged")},
      {"repaired", QT_TRANSLATE_NOOP("Words", "repaired")},
      {"replaced", QT_TRANSLATE_NOOP("Words", "replaced")},
      {"acquitted", QT_TRANSLATE_NOOP("Words", "acquitted")},
      {"merged", QT_TRANSLATE_NOOP("Words", "merged")},
      {"explained", QT_TRANSLATE_NOOP("Words", "explained")},
      {"closed", QT_TRANSLATE_NOOP("Words", "isolated")},
      {"resolved", QT_TRANSLATE_NOOP("Words", "resolved")},
      {"note", QT_TRANSLATE_NOOP("Words", "note")}};
  for (const auto& [name, words] : kWords)
    if (kind == name) return Words::tr(words);
  return clean_text(kind);
}

}  // namespace

QString clean_text(const std::string& raw, size_t most) {
  return QString::fromStdString(display(raw, most));
}

QString time_text(int64_t ns) {
  return ns ? QLocale().toString(QDateTime::fromMSecsSinceEpoch(ns / 1000000), QLocale::ShortFormat)
            : QString();
}

// The suspect that is still accused, else the first.
const Suspect* suspect_of(const Case& c) {
  for (const Suspect& s : c.suspects)
    if (s.status == SuspectStatus::faulty) return &s;
  return c.suspects.empty() ? nullptr : &c.suspects.front();
}

QString place_of(const Case& c) {
  const Suspect* s = suspect_of(c);
  if (!s) return {};
  if (!s->location.empty()) return clean_text(s->location);
  return clean_text(s->serial.empty() ? fmri_words(s->resource) : s->serial);
}

QString severity_words(const std::string& severity) {
  if (severity == "Critical") return Words::tr("Critical");
  if (severity == "Major") return Words::tr("Major");
  if (severity == "Minor") return Words::tr("Minor");
  return clean_text(severity);
}

QString case_state_words(const Case& c) {
  switch (c.state) {
    case CaseState::unsolved:
      return Words::tr("Not diagnosed yet");
    case CaseState::solved:
    case CaseState::close_wait:
    case CaseState::closed:
      return Words::tr("Open");
    case CaseState::repaired:
      return Words::tr("Repaired, closing");
    case CaseState::resolved:
      return Words::tr("Resolved");
  }
  return {};
}

QString story_of(const Case& c) {
  QString out = clean_text(c.title) + "\n" + clean_text(c.uuid) + "   " + clean_text(c.code) +
                "   " + severity_words(c.severity) + "\n\n";
  const auto section = [&](const QString& name, const std::string& words) {
    if (!words.empty()) out += name + "\n" + clean_text(words) + "\n\n";
  };
  section(Words::tr("What happened"), c.description);
  section(Words::tr("What it means"), c.impact);
  section(Words::tr("What was done"), c.response);
  section(Words::tr("What to do"), c.action);
  for (const Suspect& s : c.suspects)
    // All in one go: what a device says of itself may hold a "%1".
    out += Words::tr("Suspect: %1 (%2), %3 %")
               .arg(clean_text(s.fru_path.empty() ? s.resource : s.fru_path),
                    status_words(s.status), QString::number(s.certainty)) +
           "\n";
  if (c.evidence_count)
    out += Words::tr("Evidence: %n event(s)", nullptr, static_cast<int>(c.evidence_count)) + "\n";
  for (const Observation& o : c.observations)
    out += Words::tr("Seen: %1").arg(clean_text(o.text())) + "\n";
  out += "\n" + Words::tr("Timeline") + "\n";
  for (const TimelineEntry& e : c.timeline)
    out += time_text(e.time_ns) + "   " + kind_words(e.kind) + ": " + clean_text(e.text) + "\n";
  return out;
}

QStringList story_headings() {
  return {Words::tr("What happened"), Words::tr("What it means"), Words::tr("What was done"),
          Words::tr("What to do"), Words::tr("Timeline")};
}

QString part_name(const Inventory& inventory, const std::string& fmri) {
  const Resource* one = inventory.find(fmri);
  if (one && one->type == "zfs-pool" && !one->get("name").empty())
    return clean_text(one->get("name"));
  const ui::PartNames names = ui::names_of(inventory, fmri);
  const QString place = clean_text(names.place), serial = clean_text(names.serial);
  if (place.isEmpty())
    return serial.isEmpty() ? clean_text(names.name) : Words::tr("serial %1").arg(serial);
  return serial.isEmpty() ? place : Words::tr("%1 (serial %2)").arg(place, serial);
}

const Resource* leaf_on(const Inventory& inventory, const std::string& disk) {
  for (const Resource* parent : inventory.parents(disk, Relation::redundancy))
    if (parent->present && !parent->get("service").empty()) return parent;
  return nullptr;
}

QString face_words(const scene::Face& face) {
  static const char* const kNames[] = {
      QT_TRANSLATE_NOOP("Words", "Front"),
      QT_TRANSLATE_NOOP("Words", "Rear"),
      QT_TRANSLATE_NOOP("Words", "From above"),
      QT_TRANSLATE_NOOP("Words", "Inside"),
      QT_TRANSLATE_NOOP("Words", "Parts whose place is not described"),
      QT_TRANSLATE_NOOP("Words", "Not described: shown in the order of its labels")};
  for (const char* name : kNames)
    if (face.label == name) return Words::tr(name);
  return QString::fromStdString(face.label);
}

QString meaning_words(scene::PartState state) {
  static const char* const kNames[] = {
      QT_TRANSLATE_NOOP("Words", "empty"),    QT_TRANSLATE_NOOP("Words", "in use"),
      QT_TRANSLATE_NOOP("Words", "spare"),    QT_TRANSLATE_NOOP("Words", "not monitored"),
      QT_TRANSLATE_NOOP("Words", "unknown"),  QT_TRANSLATE_NOOP("Words", "rebuilding"),
      QT_TRANSLATE_NOOP("Words", "degraded"), QT_TRANSLATE_NOOP("Words", "faulted")};
  const std::string_view meant = scene::meaning(state);
  for (const char* name : kNames)
    if (meant == name) return Words::tr(name);
  return QString::fromUtf8(meant.data(), static_cast<qsizetype>(meant.size()));
}

QString meaning_words(scene::Lamp lit) {
  return lit == scene::Lamp::locate ? Words::tr("locate light on") : Words::tr("fault light on");
}

void name_choice(QComboBox* box, const QString& what) {
  box->setAccessibleName(what);
  box->setAccessibleDescription(what);
}

void fill_choice(QComboBox* box, const std::vector<Choice>& choices) {
  bool same = box->count() == static_cast<int>(choices.size());
  for (int i = 0; same && i < box->count(); ++i)
    same = box->itemText(i) == choices[static_cast<size_t>(i)].text &&
           box->itemData(i).toString() == choices[static_cast<size_t>(i)].key;
  if (same) return;
  const QSignalBlocker quiet(box);
  const QString kept = box->currentData().toString();
  box->clear();
  for (const Choice& one : choices) box->addItem(one.text, one.key);
  if (box->count() > 0) box->setCurrentIndex(std::max(0, box->findData(kept)));
}

QString breakable(const QString& text) {
  constexpr int kLongWord = 28;
  constexpr QChar kMayBreak(0x200b);
  QStringList words = text.split(' ');
  for (QString& word : words) {
    if (word.size() <= kLongWord || word.contains(kMayBreak)) continue;
    QString apart;
    for (qsizetype i = 0; i < word.size(); ++i) {
      apart += word[i];
      // In a number of many digits there is no better place than any.
      if (QString("/,;:=.-").contains(word[i]) || i % kLongWord == kLongWord - 1)
        apart += kMayBreak;
    }
    word = apart;
  }
  return words.join(' ');
}

QLabel* plain_label(const QString& text) {
  auto* label = new QLabel(breakable(text));
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  return label;
}

QLabel* link_label(const QString& text) {
  auto* label = new QLabel("<a href=\"#\">" + text.toHtmlEscaped() + "</a>");
  label->setTextFormat(Qt::RichText);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  label->setFocusPolicy(Qt::StrongFocus);
  label->setAccessibleName(text);
  return label;
}

QString outcome_words(const QString& what, bool done, const QString& text) {
  const QString says = clean_text(text.toStdString());
  if (!done) return Words::tr("%1 failed: %2").arg(what, says);
  return says.isEmpty() ? Words::tr("%1: done").arg(what) : what + ": " + says;
}

void clear_layout(QLayout* layout) {
  while (QLayoutItem* item = layout->takeAt(0)) {
    if (item->layout()) clear_layout(item->layout());
    delete item->widget();
    delete item;
  }
}

}  // namespace fmd::tray
