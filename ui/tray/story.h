// Story: a case as text for widgets. With advice, the words are fmd's own, as fmadm prints them
// (schemas/documents.schema.json, "say"); advice is nullptr for an older fmd, then the rule's texts are
// shown. Cleaned; never markup.
#pragma once
#include <QString>
#include <QStringList>

#include "fmd/model/case.h"
#include "ui/client/advice.h"

namespace fmd::tray {

// The suspect that is still accused, else the first; nullptr: none.
const Suspect* suspect_of(const Case& c);
// "SLOT 04", "pool tank"
QString place_of(const Case& c, const ui::Advice* advice);
// "Returns wrong data"
QString matter_of(const Case& c, const ui::Advice* advice);
// Both in one line.
QString headline_of(const Case& c, const ui::Advice* advice);
QString to_do_of(const Case& c, const ui::Advice* advice);  // one sentence
// "Yes: spare SLOT 07 holds all its data"; "" nothing to be pulled.
QString safe_words(const ui::Advice* advice);
QString case_state_words(const Case& c, const ui::Advice* advice);
// All of it to read: what to do, what was done, what happened, its timeline.
QString story_of(const Case& c, const ui::Advice* advice);
QStringList story_headings();  // lines of it that are headings

}  // namespace fmd::tray
