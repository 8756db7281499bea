// Words: what a host tells, as text for widgets. What comes from a device is cleaned; never markup.
#pragma once
#include <QCoreApplication>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <string>
#include <vector>

#include "fmd/model/case.h"
#include "fmd/model/inventory.h"
#include "fmd/scene/drawing.h"
#include "fmd/scene/scene.h"

class QComboBox;
class QLabel;
class QLayout;

namespace fmd::tray {

// The translators' context of these words and of the story's.
struct Words {
  Q_DECLARE_TR_FUNCTIONS(Words)
};

QString clean_text(const std::string& raw, size_t most = 2000);
QString time_text(int64_t ns);  // "" never
QString severity_words(const std::string& severity);
// A part as people know it: "SLOT 04 (serial DISK04G0)", "tank".
QString part_name(const Inventory& inventory, const std::string& fmri);
// The leaf vdev on that disk, nullptr none.
const Resource* leaf_on(const Inventory& inventory, const std::string& disk);
// The scene's own words, translated.
QString face_words(const scene::Face& face);
QString meaning_words(scene::PartState state);
QString meaning_words(scene::Lamp lit);
// What a choice is for: assistive technology is told the chosen text as its name.
void name_choice(QComboBox* box, const QString& what);
// What may be chosen there now: a list that is as it was is left alone, for somebody may have it open. What was chosen
// stays so where it can; else it is the first. Without a signal.
struct Choice {
  QString text, key;
};
void fill_choice(QComboBox* box, const std::vector<Choice>& choices);
// The same text with places where a long word (an address, a path) may be wrapped, which nobody sees.
QString breakable(const QString& text);
// A label that shows text as it is, wraps it and lets it be copied.
QLabel* plain_label(const QString& text = {});
// Hides the label if there are no lines. An unchanged text is not set again, so that a selection in it stays.
void show_lines(QLabel* label, const QStringList& lines);
// A label that wraps and is a link, for mouse and keys: QLabel::linkActivated. The text is no markup.
QLabel* link_label(const QString& text);

// What came of an order: "Locate: done", "Locate failed: …".
QString outcome_words(const QString& what, bool done, const QString& text);
// Takes out and deletes all that is in it.
void clear_layout(QLayout* layout);

}  // namespace fmd::tray
