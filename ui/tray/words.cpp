#include "ui/tray/words.h"

#include <QComboBox>
#include <QDateTime>
#include <QLabel>
#include <QLayout>
#include <QLocale>
#include <QSignalBlocker>
#include <algorithm>

#include "fmd/base/text.h"
#include "fmd/scene/drawing.h"
#include "ui/client/surroundings.h"

namespace fmd::tray {
QString clean_text(const std::string& raw, size_t most) {
  return QString::fromStdString(display(raw, most));
}

QString time_text(int64_t ns) {
  return ns ? QLocale().toString(QDateTime::fromMSecsSinceEpoch(ns / 1000000), QLocale::ShortFormat)
            : QString();
}

QString severity_words(const Case& c) {
  const std::string severity(severity_word(c));
  if (severity == "Info") return Words::tr("Info");
  if (severity == "Critical") return Words::tr("Critical");
  if (severity == "Major") return Words::tr("Major");
  if (severity == "Minor") return Words::tr("Minor");
  return clean_text(severity);
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
  static const char* const kNames[] = {QT_TRANSLATE_NOOP("Words", "empty"),
                                       QT_TRANSLATE_NOOP("Words", "watched, healthy"),
                                       QT_TRANSLATE_NOOP("Words", "spare"),
                                       QT_TRANSLATE_NOOP("Words", "not monitored"),
                                       QT_TRANSLATE_NOOP("Words", "unknown"),
                                       QT_TRANSLATE_NOOP("Words", "rebuilding"),
                                       QT_TRANSLATE_NOOP("Words", "needs attention (minor)"),
                                       QT_TRANSLATE_NOOP("Words", "needs attention")};
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
      // In a long number any position will do.
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

void show_lines(QLabel* label, const QStringList& lines) {
  const QString text = breakable(lines.join('\n'));
  if (label->text() != text) label->setText(text);
  label->setVisible(!lines.isEmpty());
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
