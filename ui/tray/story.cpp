#include "ui/tray/story.h"

#include <iterator>

#include "fmd/model/fmri.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

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

// The text for a kind of timeline entry; an unknown one is shown unchanged.
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

// A headline is "SLOT 04: returns wrong data"; without a colon it has no place.
size_t end_of_place(const std::string& headline) {
  const size_t colon = headline.find(": ");
  return colon == headline.npos ? 0 : colon;
}

class Sections {
 public:
  explicit Sections(QString head) : text_(std::move(head)) {}

  void add(const QString& heading, const QStringList& lines) {
    if (!lines.isEmpty()) text_ += heading + "\n" + lines.join('\n') + "\n\n";
  }
  void add(const QString& heading, const std::string& words) {
    if (!words.empty()) add(heading, QStringList{clean_text(words)});
  }
  void add(const QString& heading, const std::vector<std::string>& sentences) {
    QStringList lines;
    for (const std::string& one : sentences) lines << clean_text(one);
    add(heading, lines);
  }
  QString take() { return std::move(text_); }

 private:
  QString text_;
};

QStringList orders_of(const ui::Advice& advice) {
  QStringList lines;
  if (!advice.do_now.empty()) lines << clean_text(advice.do_now);
  int number = 0;
  for (const std::string& step : advice.steps)
    lines << QString::number(++number) + ". " + clean_text(step);
  return lines;
}

void add_advice(Sections& sections, const ui::Advice& advice) {
  sections.add(Words::tr("What to do now"), orders_of(advice));
  if (const QString safe = safe_words(&advice); !safe.isEmpty())
    sections.add(Words::tr("Safe to pull"), QStringList{safe});
  sections.add(Words::tr("Redundancy"), advice.redundancy);
  sections.add(Words::tr("Actions taken"), advice.done);
  sections.add(Words::tr("Next"), advice.next);
  sections.add(Words::tr("If you disagree"), advice.disagree);
}

QString evidence_of(const Case& c) {
  QString out;
  for (const Suspect& s : c.suspects)
    // One call of arg(), because device text may contain "%1".
    out += Words::tr("Suspect: %1 (%2), %3 %")
               .arg(clean_text(s.fru_path.empty() ? s.resource : s.fru_path),
                    status_words(s.status), QString::number(s.certainty)) +
           "\n";
  if (c.evidence_count)
    out += Words::tr("Evidence: %n event(s)", nullptr, static_cast<int>(c.evidence_count)) + "\n";
  for (const Observation& o : c.observations)
    out += Words::tr("Seen: %1").arg(clean_text(o.text())) + "\n";
  return out;
}

// Skips entries that repeat the one before.
QString timeline_of(const Case& c) {
  QString out;
  const TimelineEntry* before = nullptr;
  for (const TimelineEntry& e : c.timeline) {
    const bool again = before && before->kind == e.kind && before->text == e.text;
    before = &e;
    if (!again)
      out += time_text(e.time_ns) + "   " + kind_words(e.kind) + ": " + clean_text(e.text) + "\n";
  }
  return out;
}

}  // namespace

const Suspect* suspect_of(const Case& c) {
  for (const Suspect& s : c.suspects)
    if (s.status == SuspectStatus::faulty) return &s;
  return c.suspects.empty() ? nullptr : &c.suspects.front();
}

QString place_of(const Case& c, const ui::Advice* advice) {
  if (advice)
    if (const size_t end = end_of_place(advice->headline); end > 0)
      return clean_text(advice->headline.substr(0, end));
  const Suspect* s = suspect_of(c);
  if (!s) return {};
  if (!s->location.empty()) return clean_text(s->location);
  return clean_text(s->serial.empty() ? fmri_words(s->resource) : s->serial);
}

QString matter_of(const Case& c, const ui::Advice* advice) {
  if (!advice || advice->headline.empty()) return clean_text(c.title.empty() ? c.code : c.title);
  const size_t end = end_of_place(advice->headline);
  QString matter = clean_text(advice->headline.substr(end == 0 ? 0 : end + 2));
  if (!matter.isEmpty()) matter[0] = matter[0].toUpper();
  return matter;
}

QString headline_of(const Case& c, const ui::Advice* advice) {
  if (advice && !advice->headline.empty()) return clean_text(advice->headline);
  const QString where = place_of(c, advice);
  return matter_of(c, advice) + (where.isEmpty() ? QString() : ": " + where);
}

QString to_do_of(const Case& c, const ui::Advice* advice) {
  return clean_text(advice && !advice->do_now.empty() ? advice->do_now : c.action);
}

QString safe_words(const ui::Advice* advice) {
  if (!advice || (advice->safe_to_pull != "yes" && advice->safe_to_pull != "no")) return {};
  const QString why = clean_text(advice->why_safe);
  const bool yes = advice->safe_to_pull == "yes";
  if (why.isEmpty()) return yes ? Words::tr("Yes") : Words::tr("No");
  return yes ? Words::tr("Yes: %1").arg(why) : Words::tr("No: %1").arg(why);
}

QString case_state_words(const Case& c, const ui::Advice* advice) {
  if (advice && advice->needs == "you") return Words::tr("Needs you");
  if (advice && advice->needs == "fmd") return Words::tr("Working");
  if (advice && !advice->needs.empty()) return Words::tr("Done");
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

QString story_of(const Case& c, const ui::Advice* advice) {
  const QString title =
      advice && !advice->headline.empty() ? clean_text(advice->headline) : clean_text(c.title);
  Sections sections(title + "\n" + clean_text(c.uuid) + "   " + clean_text(c.code) + "   " +
                    severity_words(c) + "\n\n");
  if (advice) add_advice(sections, *advice);
  sections.add(Words::tr("Description"), c.description);
  sections.add(Words::tr("Impact"), c.impact);
  if (!advice) {
    sections.add(Words::tr("Actions taken"), c.response);
    sections.add(Words::tr("What to do"), c.action);
  }
  return sections.take() + evidence_of(c) + "\n" + Words::tr("Timeline") + "\n" + timeline_of(c);
}

QStringList story_headings() {
  return {Words::tr("What to do now"), Words::tr("Safe to pull"), Words::tr("Redundancy"),
          Words::tr("Actions taken"),  Words::tr("Next"),         Words::tr("If you disagree"),
          Words::tr("Description"),    Words::tr("Impact"),       Words::tr("What to do"),
          Words::tr("Timeline")};
}

}  // namespace fmd::tray
