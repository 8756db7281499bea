#include "ui/tray/problems.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTableWidget>
#include <QTextBlock>
#include <QVBoxLayout>
#include <algorithm>

#include "fmd/base/json.h"
#include "ui/client/documents.h"
#include "ui/tray/canvas.h"
#include "ui/tray/health_icon.h"
#include "ui/tray/story.h"
#include "ui/tray/words.h"

namespace fmd::tray {
namespace {

bool is_found(const Case& c, const ui::Advice* advice, const QString& search) {
  const QString all = story_of(c, advice) + place_of(c, advice) +
                      (c.suspects.empty() ? QString() : clean_text(c.suspects.front().serial));
  return c.state != CaseState::unsolved &&
         (search.isEmpty() || all.contains(search, Qt::CaseInsensitive));
}

// The problem, what to do, and what was done.
QStringList lines_of(const Case& c, const ui::Advice* advice) {
  QStringList lines{matter_of(c, advice)};
  const auto line = [&](const QString& text, const QString& words) {
    if (!words.isEmpty()) lines << "    " + text.arg(words);
  };
  if (!advice) {
    line(Problems::tr("Means: %1"), clean_text(c.impact));
    line(Problems::tr("Done: %1"), clean_text(c.response));
  }
  line(Problems::tr("To do: %1"), to_do_of(c, advice));
  if (!advice) return lines;
  line(Problems::tr("Safe to pull: %1"), safe_words(advice));
  QStringList done;
  for (const std::string& one : advice->done) done << clean_text(one);
  line(Problems::tr("Done: %1"), done.join(' '));
  return lines;
}

}  // namespace

Problems::Problems(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
  search_ = new QLineEdit;
  search_->setPlaceholderText(tr("Search: serial, bay, words, event id"));
  search_->setAccessibleName(tr("Search"));
  search_->setClearButtonEnabled(true);
  all_ = new QCheckBox(tr("&Resolved ones too"));
  now_ = plain_label();
  none_ = plain_label(tr("No open problems."));
  none_->setAlignment(Qt::AlignCenter);
  show_resolved_ = new QPushButton(tr("Show the resolved ones"));
  table_ = new QTableWidget(0, 5);
  table_->setHorizontalHeaderLabels(
      {tr("Severity"), tr("What"), tr("Where"), tr("Since"), tr("State")});
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setTabKeyNavigation(false);
  table_->setWordWrap(false);  // lines are cut at the column's end; a tool tip has the whole text
  table_->verticalHeader()->hide();
  table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
  table_->setAccessibleName(tr("Open problems"));
  story_ = new QPlainTextEdit;
  story_->setReadOnly(true);
  story_->setTabChangesFocus(true);
  story_->setAccessibleName(tr("The selected problem"));
  show_ = new QPushButton(tr("&Show the part"));
  acknowledge_ = new QPushButton(tr("&Acknowledge"));
  acknowledge_->setToolTip(tr("No more messages about it until it gets worse"));
  auto* below = new QWidget;
  auto* column = new QVBoxLayout(below);
  column->setContentsMargins(0, 0, 0, 0);
  auto* row = new QHBoxLayout;
  row->addWidget(show_);
  row->addWidget(acknowledge_);
  row->addStretch();
  column->addLayout(row);
  column->addWidget(story_);
  auto* both = new QSplitter(Qt::Vertical);
  both->addWidget(table_);
  both->addWidget(below);
  both->setStretchFactor(1, 2);
  auto* top = new QHBoxLayout;
  top->addWidget(search_, 1);
  top->addWidget(all_);
  auto* all = new QVBoxLayout(this);
  all->addLayout(top);
  all->addWidget(now_);
  all->addWidget(none_);
  all->addWidget(show_resolved_, 0, Qt::AlignHCenter);
  all->addWidget(both);
  connect(search_, &QLineEdit::textChanged, this, &Problems::fill);
  connect(all_, &QCheckBox::toggled, this, [this](bool on) {
    if (on) ask_resolved();
    fill();
  });
  connect(show_resolved_, &QPushButton::clicked, all_, [this] { all_->setChecked(true); });
  connect(table_, &QTableWidget::itemSelectionChanged, this, &Problems::tell);
  connect(table_, &QTableWidget::itemActivated, this, [this] { show_->click(); });
  connect(show_, &QPushButton::clicked, this, [this] {
    const Case* c = current();
    const Suspect* s = c ? suspect_of(*c) : nullptr;
    if (s)
      emit part_wanted(QString::fromStdString(!s->bay.empty()   ? s->bay
                                              : !s->fru.empty() ? s->fru
                                                                : s->resource));
  });
  connect(acknowledge_, &QPushButton::clicked, this, [this] {
    session_.order(tr("Acknowledge"),
                   [uuid = selected().toStdString()](ui::Client& c) -> Result<std::string> {
                     if (auto done = c.acknowledge(uuid, ""); !done)
                       return tl::unexpected(done.error());
                     return std::string();
                   });
  });
  refresh();
}

QString Problems::selected() const {
  const auto rows = table_->selectionModel()->selectedRows();
  return rows.isEmpty() ? QString()
                        : table_->item(rows.first().row(), 0)->data(Qt::UserRole).toString();
}

const Case* Problems::current() const {
  const std::string uuid = selected().toStdString();
  for (const Case* c : shown_)
    if (c->uuid == uuid) return c;
  return nullptr;
}

const ui::Advice* Problems::advice(const Case& c) const {
  return advice_on(c.open() && of_ ? of_->advice : resolved_.advice, c);
}

void Problems::select(const QString& uuid) {
  for (int row = 0; row < table_->rowCount(); ++row)
    if (table_->item(row, 0)->data(Qt::UserRole).toString() == uuid) return table_->selectRow(row);
  // Load a resolved case before selecting it.
  wanted_ = uuid;
  search_->clear();
  all_->setChecked(true);
  ask_resolved();
}

void Problems::ask_resolved() {
  if (!session_.connected() || asking_) return;
  asking_ = true;
  resolved_of_ = of_;
  session_.ask<Resolved>(
      this,
      [](ui::Client& client) -> Result<Resolved> {
        Resolved read;
        auto cases = ui::fetch_cases(client, {{"all", true}}, &read.advice);
        if (!cases) return tl::unexpected(cases.error());
        read.cases = std::move(*cases);
        return read;
      },
      [this](Result<Resolved> read) {
        asking_ = false;
        resolved_unread_ =
            read ? QString()
                 : tr("Resolved problems cannot be read: %1").arg(clean_text(read.error().text()));
        if (!read) return fill();
        // The view points into this data; clear it before the change.
        shown_.clear();
        resolved_ = std::move(*read);
        std::erase_if(resolved_.cases, [](const Case& c) { return c.open(); });
        std::reverse(resolved_.cases.begin(), resolved_.cases.end());
        fill();
      });
}

void Problems::refresh() {
  of_ = session_.snapshot();
  show_lines(now_, of_ ? now_words(*of_) : QStringList());
  if (all_->isChecked()) ask_resolved();
  fill();
}

void Problems::fill() {
  const QString kept = selected();
  shown_.clear();
  const QString search = search_->text().trimmed();
  const auto take = [&](const Case& c) {
    if (is_found(c, advice(c), search)) shown_.push_back(&c);
  };
  if (of_)
    for (const Case& c : of_->cases) take(c);
  if (all_->isChecked())
    for (const Case& c : resolved_.cases) take(c);
  {
    const QSignalBlocker quiet(table_);
    table_->setRowCount(static_cast<int>(shown_.size()));
    for (int row = 0; row < table_->rowCount(); ++row)
      fill_row(row, *shown_[static_cast<size_t>(row)]);
    table_->resizeColumnsToContents();
    table_->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    table_->resizeRowsToContents();
    for (int row = 0; row < table_->rowCount(); ++row) {
      const QString uuid = table_->item(row, 0)->data(Qt::UserRole).toString();
      if (uuid == kept || uuid == wanted_) table_->selectRow(row);
      if (uuid == wanted_) break;
    }
    if (selected() == wanted_) wanted_.clear();
    if (selected().isEmpty() && !shown_.empty()) table_->selectRow(0);
  }
  tell_none(search);
  tell();
}

// The case may be resolved: mention that resolved cases are not listed.
void Problems::tell_none(const QString& search) {
  const bool looks_back = shown_.empty() && !search.isEmpty() && !all_->isChecked();
  if (looks_back && of_ && resolved_of_ != of_) ask_resolved();
  int over = 0;
  if (looks_back)
    for (const Case& c : resolved_.cases) over += is_found(c, advice(c), search);
  none_->setText(!of_               ? tr("No data received yet.")
                 : search.isEmpty() ? of_->eyes.blind()
                                          ? tr("No open problem is known, but not everything is "
                                               "watched: there may be some.")
                                      : ui::pools_words(of_->now).empty() ? tr("No open problems.")
                                                                          : tr("No open cases.")
                 : over > 0 ? tr("No open problem matches. %n resolved one(s) do.", nullptr, over)
                            : tr("No matching problems."));
  const bool unread = (all_->isChecked() || looks_back) && !resolved_unread_.isEmpty();
  if (unread) none_->setText(resolved_unread_);
  none_->setVisible(shown_.empty() || unread);
  show_resolved_->setVisible(over > 0);
}

void Problems::fill_row(int row, const Case& c) {
  const ui::Advice* said = advice(c);
  const QStringList what = lines_of(c, said);
  const QString columns[] = {
      severity_words(c), what.join('\n'), place_of(c, said), time_text(c.opened_ns),
      case_state_words(c, said) + (c.acknowledged ? tr(", acknowledged") : QString())};
  for (int column = 0; column < 5; ++column) {
    auto* item = new QTableWidgetItem(columns[column]);
    item->setToolTip("<qt>" + what.join('\n').toHtmlEscaped().replace('\n', "<br>") + "</qt>");
    table_->setItem(row, column, item);
  }
  table_->item(row, 0)->setData(Qt::UserRole, QString::fromStdString(c.uuid));
  if (!c.open() || c.information) return;
  const bool grave = severity_rank(c.severity) >= 2;
  // Also a symbol, because a selected row has other colours.
  table_->item(row, 0)->setIcon(health_icon(grave ? Health::faulted : Health::degraded));
  const scene::Theme theme = scene::Theme::light;
  table_->item(row, 0)->setBackground(
      qt_colour(grave ? scene::Ink::faulted : scene::Ink::degraded, theme));
  table_->item(row, 0)->setForeground(
      qt_colour(grave ? scene::Ink::faulted_text : scene::Ink::degraded_text, theme));
}

// By searching the text: markup would let a device's serial number inject tags.
void Problems::embolden_headings(QPlainTextEdit& story) {
  QStringList headings = story_headings();
  headings << tr("Evidence");
  QTextCharFormat bold;
  bold.setFontWeight(QFont::Bold);
  for (QTextBlock block = story.document()->begin(); block.isValid(); block = block.next()) {
    if (block.blockNumber() > 0 && !headings.contains(block.text())) continue;
    QTextCursor cursor(block);
    cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    cursor.mergeCharFormat(bold);
  }
}

void Problems::tell() {
  const Case* c = current();
  show_->setEnabled(c);
  acknowledge_->setEnabled(c && c->open() && !c->acknowledged && session_.connected());
  QString story = c ? story_of(*c, advice(*c)) : QString();
  if (c && evidence_.uuid == c->uuid) story += evidence_.text;
  const bool lacks = c && (evidence_.uuid != c->uuid || evidence_.count != c->evidence_count);
  const bool failed = lacks && unread_.uuid == c->uuid;
  if (failed) story += "\n" + tr("Evidence") + "\n" + unread_.why + "\n";
  if (lacks && !(failed && unread_.of == of_)) ask_evidence(*c);
  if (story_->toPlainText() == story) return;
  story_->setPlainText(story);
  embolden_headings(*story_);
}

// The first events that led to the case; the events page has all of them.
void Problems::ask_evidence(const Case& c) {
  if (asking_evidence_ || !session_.connected()) return;
  asking_evidence_ = true;
  constexpr size_t kShown = 20;
  ui::EventsQuery query;
  query.uuid = c.uuid;
  query.limit = kShown;
  session_.ask<ui::EventsPage>(
      this, [query](ui::Client& client) { return ui::fetch_events(client, query); },
      [this, uuid = c.uuid,
       count = static_cast<uint64_t>(c.evidence_count)](Result<ui::EventsPage> page) {
        asking_evidence_ = false;
        unread_ = {};
        if (!page) {
          unread_ = {uuid, of_, tr("It cannot be read: %1").arg(clean_text(page.error().text()))};
          return tell();
        }
        evidence_ = {uuid, count, {}};
        if (!page->events.empty()) {
          evidence_.text = "\n" + tr("Evidence") + "\n";
          for (const ui::LoggedEvent& e : page->events)
            evidence_.text +=
                time_text(e.time_ns) + "   " + clean_text(e.event_class) + "   " +
                (of_ ? part_name(of_->inventory, e.resource) : clean_text(e.resource)) + "\n";
          if (page->more) evidence_.text += tr("… and more: see Events") + "\n";
        }
        tell();
      });
}

}  // namespace fmd::tray
