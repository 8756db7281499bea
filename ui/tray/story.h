// Story: a case as text for widgets. With advice, the texts are fmd's own, as in fmadm
// (schemas/documents.schema.json, "say"); without it (nullptr, an older fmd) the rule's. Cleaned;
// never markup.
#pragma once
#include <QString>
#include <QStringList>

#include "fmd/model/case.h"
#include "ui/client/advice.h"

namespace fmd::tray {

// The first suspect that is still faulty, else the first; nullptr: none.
const Suspect* suspect_of(const Case& c);
// "SLOT 04", "pool tank"
QString place_of(const Case& c, const ui::Advice* advice);
// "Returns wrong data"
QString matter_of(const Case& c, const ui::Advice* advice);
// Both in one line.
QString headline_of(const Case& c, const ui::Advice* advice);
QString to_do_of(const Case& c, const ui::Advice* advice);  // one sentence
// "Yes: spare SLOT 07 holds all its data"; "" if there is nothing to pull.
QString safe_words(const ui::Advice* advice);
QString case_state_words(const Case& c, const ui::Advice* advice);
// The whole text: what to do, what was done, what happened, the timeline.
QString story_of(const Case& c, const ui::Advice* advice);
QStringList story_headings();  // its heading lines

}  // namespace fmd::tray
