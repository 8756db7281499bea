// Words: texts from a host for widgets. Device text is cleaned; never markup.
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

// The translators' context for these texts and the story's.
struct Words {
  Q_DECLARE_TR_FUNCTIONS(Words)
};

QString clean_text(const std::string& raw, size_t most = 2000);
QString time_text(int64_t ns);  // "": never
QString severity_words(const Case& c);
// The name that people use: "SLOT 04 (serial DISK04G0)", "tank".
QString part_name(const Inventory& inventory, const std::string& fmri);
// The leaf vdev on that disk; nullptr: none.
const Resource* leaf_on(const Inventory& inventory, const std::string& disk);
// Translations of the scene's texts.
QString face_words(const scene::Face& face);
QString meaning_words(scene::PartState state);
QString meaning_words(scene::Lamp lit);
// Names a combo box: assistive technology otherwise takes the chosen text as its name.
void name_choice(QComboBox* box, const QString& what);
// Sets the choices. An unchanged list is left alone, since it may be open. Keeps the selection if
// possible, else selects the first. Emits no signal.
struct Choice {
  QString text, key;
};
void fill_choice(QComboBox* box, const std::vector<Choice>& choices);
// The text with invisible places at which long words (an address, a path) may be wrapped.
QString breakable(const QString& text);
// A label that shows plain text, wraps it and allows copying.
QLabel* plain_label(const QString& text = {});
// Hides the label if there are no lines. Unchanged text is not set again, to keep a selection.
void show_lines(QLabel* label, const QStringList& lines);
// A wrapping label that is a link, for mouse and keys (QLabel::linkActivated); plain text.
QLabel* link_label(const QString& text);

// The result of an order: "Locate: done", "Locate failed: …".
QString outcome_words(const QString& what, bool done, const QString& text);
// Removes and deletes all items.
void clear_layout(QLayout* layout);

}  // namespace fmd::tray
